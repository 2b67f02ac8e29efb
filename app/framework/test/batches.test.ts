import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type BatchOptions, contextOf, withDatabase } from 'pergola'
import { registryOfResources } from 'pergola/app'
import { makeNote, type Note, notes } from './fixtures/note.ts'
import { resources } from './fixtures/resources.ts'
import { lockWait, testDatabase } from 'pergola/testing'
import { createTallies, tallies, fillTallies } from './fixtures/tally.ts'
import { makeUser } from './fixtures/user.ts'

const { db, statements } = await testDatabase()
await createTallies(db)
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const all = tallies.asSystem('test')

const fill = async (count: number) => {
  await sql`truncate tallies restart identity`.execute(db)
  await fillTallies(db, count)
  statements.length = 0
}
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1)
const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

/** Returns the ids of each batch until the end. */
const idsOfBatches = (walk: AsyncIterable<{ id: number }[]>) =>
  within(async () => {
    const batches: number[][] = []
    for await (const batch of walk) batches.push(idsOf(batch))
    return batches
  })

beforeEach(() => fill(25))

describe('findInBatches', () => {
  it('returns every row once by ascending id, and ends with a batch that is not full', async () => {
    const walk = all.findInBatches(10)
    expect(await idsOfBatches(walk)).toEqual([upTo(10), upTo(20).slice(10), upTo(25).slice(20)])
    expect(statements).toHaveLength(3)
  })

  it.each([
    [0, 1, []],
    [1, 1, [[1]]],
    [20, 3, [upTo(10), upTo(20).slice(10)]],
  ])('sends, for %i rows, %i queries', async (count, queries, batches) => {
    await fill(count)
    expect(await idsOfBatches(all.findInBatches(10))).toEqual(batches)
    expect(statements).toHaveLength(queries)
  })

  it('sends no query after its end, even if rows are added', async () => {
    const walk = all.findInBatches(100)
    await within(() => walk.nextBatch())
    await fillTallies(db, 1)
    statements.length = 0
    expect([await within(() => walk.nextBatch()), await within(() => walk.nextBatch())]).toEqual([null, null])
    expect(statements).toEqual([])
    expect(await idsOfBatches(all.findInBatches(100))).toEqual([[...upTo(26)]])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('throws for the size %d', (size) => {
    expect(() => all.findInBatches(size)).toThrow(RangeError)
    expect(() => all.findEach(size)).toThrow(RangeError)
    expect(() => all.inBatches(size)).toThrow(RangeError)
  })

  it('accepts sizes above the maximum of a page', async () => {
    await fill(150)
    expect(await idsOfBatches(all.findInBatches(5_000))).toEqual([upTo(150)])
  })

  it('returns rows without hidden columns', async () => {
    const [row] = (await within(() => all.findInBatches(1).nextBatch())) ?? []
    expect(row?.tags).toEqual(['tag'])
    expect(row).not.toHaveProperty('secret')
    expect(row).not.toHaveProperty('__version')
  })

  it('returns consecutive batches to concurrent calls', async () => {
    const walk = all.findInBatches(10)
    const batches = await within(() => Promise.all([1, 2, 3, 4].map(() => walk.nextBatch())))
    expect(batches.map((batch) => batch && idsOf(batch))).toEqual([
      upTo(10),
      upTo(20).slice(10),
      upTo(25).slice(20),
      null,
    ])
  })

  it('returns the rows in the caller’s scope, narrowed by the options', async () => {
    const author = await within(() => makeUser())
    for (const published of [true, false, true, false])
      await within(() => makeNote({ author_id: author.id, published }))
    const ctx = contextOf(
      { id: 's', userId: author.id + 1, name: 'N', roles: [] },
      { registry: registryOfResources(resources) },
    )
    const options: BatchOptions<typeof Note> = { where: (is) => is('author_id', '=', author.id) }
    const visible = await idsOfBatches(notes.visibleTo(ctx).findInBatches(1, options))
    expect([
      visible.length,
      (await idsOfBatches(notes.asSystem('test').findInBatches(1, options))).length,
    ]).toEqual([2, 4])
    const scopeless = contextOf(null, { registry: registryOfResources([{ repository: tallies }]) })
    expect(await within(() => tallies.visibleTo(scopeless).findInBatches(5).nextBatch())).toBeNull()
  })

  it('skips no rows if the loop deletes rows or changes them so that they no longer match', async () => {
    const ids: number[] = []
    await within(async () => {
      for await (const batch of all.findInBatches(4, { where: (is) => is('done', 'is', null) })) {
        for (const { id } of batch) {
          ids.push(id)
          if (id % 2 === 0) await all.delete(id)
          else await all.update(id, { done: true })
        }
      }
    })
    expect(ids).toEqual(upTo(25))
  })

  it('continues in a second loop where the first loop ended', async () => {
    const walk = all.findInBatches(10)
    for await (const batch of here(walk)) {
      expect(idsOf(batch)).toEqual(upTo(10))
      break
    }
    expect(await idsOfBatches(walk)).toEqual([upTo(20).slice(10), upTo(25).slice(20)])
  })
})

/** Runs each step in the database of this file. */
const here = <Item>(walk: AsyncIterable<Item>): AsyncIterable<Item> => ({
  [Symbol.asyncIterator]() {
    const iterator = walk[Symbol.asyncIterator]()
    return { next: () => within(() => iterator.next()) }
  },
})

describe('types', () => {
  it('reject writes of ranges without asSystem', () => {
    // @ts-expect-error only a system list has inBatches
    const call = () => tallies.visibleTo(contextOf(null)).inBatches(10)
    expect(call).toBeTypeOf('function')
  })
})

describe('position', () => {
  it('is null before the first row, and then identifies the last returned row', async () => {
    const walk = all.findInBatches(10)
    expect(walk.position).toBeNull()
    await within(() => walk.nextBatch())
    expect(walk.position).toBe('["tallies",10]')
  })

  it('resumes at the position of another walk, with another size', async () => {
    const first = all.findInBatches(10)
    await within(() => first.nextBatch())
    const remaining = await idsOfBatches(all.findInBatches(8, { position: first.position }))
    expect(remaining).toEqual([upTo(18).slice(10), upTo(25).slice(18)])
    expect(await idsOfBatches(all.findInBatches(30, { position: null }))).toEqual([upTo(25)])
  })

  it('resumes at ids that are not positive', async () => {
    await sql`update tallies set id = id - 8`.execute(db)
    const ids = upTo(25).map((id) => id - 8)
    const first = all.findInBatches(5)
    for (let batch = 0; batch < 2; batch++) {
      await within(() => first.nextBatch())
      const rest = await idsOfBatches(all.findInBatches(30, { position: first.position }))
      expect(rest).toEqual([ids.slice(5 * (batch + 1))])
    }
    for (const id of [-7, 0]) expect(await within(() => all.find(id))).toMatchObject({ id })
    await fill(25)
  })

  it.each([
    '',
    '42',
    'null',
    '[]',
    '{"id":1}',
    '["tallies"]',
    '["notes",1]',
    '["tallies",null]',
    '["tallies",[1]]',
    '["tallies",1,2]',
    '["tallies",1.5]',
    '["tallies","abc"]',
    '["tallies","1; drop table tallies"]',
    '["tallies",99999999999999999999]',
  ])('%s is rejected when the walk is created', (position) => {
    expect(() => all.findInBatches(10, { position })).toThrow('Not a position of a walk over tallies')
  })
})

describe('findEach', () => {
  it('returns the rows of the batches one by one, with one query for each batch', async () => {
    const ids: number[] = []
    for await (const { id } of here(all.findEach(10))) ids.push(id)
    expect(ids).toEqual(upTo(25))
    expect(statements).toHaveLength(3)
  })

  it('returns null at the end, and then sends no query', async () => {
    const walk = all.findEach(30, { where: (is) => is('id', '>=', 25) })
    expect((await within(() => walk.next()))?.id).toBe(25)
    statements.length = 0
    expect([await within(() => walk.next()), await within(() => walk.next())]).toEqual([null, null])
    expect(statements).toEqual([])
  })

  it('returns each row to only one of several concurrent calls', async () => {
    const walk = all.findEach(4)
    const rows = await within(() => Promise.all(Array.from({ length: 30 }, () => walk.next())))
    expect(rows.map((row) => row?.id ?? null)).toEqual([
      ...upTo(25),
      ...Array.from({ length: 5 }, () => null),
    ])
  })

  it('has the position of the last returned row, not of the last row that was read', async () => {
    const walk = all.findEach(4)
    const positions = [walk.position]
    for (let count = 0; count < 5; count++) {
      await within(() => walk.next())
      positions.push(walk.position)
    }
    expect(positions).toEqual([null, ...upTo(5).map((id) => `["tallies",${id}]`)])
    const [[next] = []] = await idsOfBatches(all.findInBatches(1, { position: walk.position }))
    expect(next).toBe(6)
    while ((await within(() => walk.next())) !== null);
    expect(walk.position).toBe('["tallies",25]')
  })

  it('continues after a loop that ended early', async () => {
    const walk = all.findEach(10)
    const ids: number[] = []
    for (let loop = 0; loop < 3; loop++)
      for await (const { id } of here(walk)) {
        ids.push(id)
        if (id % 9 === 0) break
      }
    expect(ids).toEqual(upTo(25))
  })
})

describe('snapshot', () => {
  it('ends at the largest id of its beginning, although the loop adds rows', async () => {
    const walk = all.findEach(10, { snapshot: true })
    const ids: number[] = []
    for await (const { id } of here(walk)) {
      ids.push(id)
      await fillTallies(db, 1)
    }
    expect(ids).toEqual(upTo(25))
  })

  it('ends a loop that increases ids', async () => {
    const ids: number[] = []
    for await (const { id } of here(all.findEach(5, { snapshot: true }))) {
      ids.push(id)
      await sql`update tallies set id = id + 100 where id = ${id}`.execute(db)
    }
    expect(ids).toEqual(upTo(25))
  })

  it('returns null for an empty table, with one query', async () => {
    await fill(0)
    const walk = all.findInBatches(9, { snapshot: true })
    expect([await within(() => walk.nextBatch()), await within(() => walk.nextBatch())]).toEqual([null, null])
    expect(statements).toHaveLength(1)
  })
})

describe('signal', () => {
  it('throws its reason before the next batch, and keeps the position', async () => {
    const stopping = new AbortController()
    const walk = all.findInBatches(10, { signal: stopping.signal })
    await within(() => walk.nextBatch())
    const reason = new Error('The server is going down.')
    stopping.abort(reason)
    statements.length = 0
    await expect(within(() => walk.nextBatch())).rejects.toBe(reason)
    expect(statements).toEqual([])
    const remaining = await idsOfBatches(all.findInBatches(20, { position: walk.position }))
    expect(remaining).toEqual([upTo(25).slice(10)])
  })

  it('lets findEach return the rest of its batch', async () => {
    const stopping = new AbortController()
    const walk = all.findEach(10, { signal: stopping.signal })
    await within(() => walk.next())
    stopping.abort()
    for (let count = 0; count < 9; count++) await within(() => walk.next())
    await expect(within(() => walk.next())).rejects.toThrow('aborted')
    expect(walk.position).toBe('["tallies",10]')
  })
})

describe('progress', () => {
  it('returns the number of rows and the share of the id range, without a count', async () => {
    const walk = all.findEach(10)
    const reports = [await within(() => walk.progress())]
    for (let row = 0; row < 13; row++) await within(() => walk.next())
    statements.length = 0
    reports.push(await within(() => walk.progress()))
    expect(statements.filter((text) => text.includes('count('))).toEqual([])
    while ((await within(() => walk.next())) !== null);
    reports.push(await within(() => walk.progress()))
    expect(reports).toEqual([
      { rows: 0, share: 0 },
      { rows: 13, share: 0.5 },
      { rows: 25, share: 1 },
    ])
  })

  it('is never more than 1, even if rows are deleted', async () => {
    const walk = all.findInBatches(10)
    await within(() => walk.nextBatch())
    await sql`delete from tallies where id > 5`.execute(db)
    expect(await within(() => walk.progress())).toEqual({ rows: 10, share: 1 })
    await sql`delete from tallies`.execute(db)
    expect(await within(() => walk.progress())).toEqual({ rows: 10, share: 1 })
  })
})

describe('inBatches', () => {
  it('returns ranges of ids without reading other columns', async () => {
    const ranges: object[] = []
    for await (const { first, last, rows } of here(all.inBatches(10))) ranges.push({ first, last, rows })
    expect(ranges).toEqual([
      { first: 1, last: 10, rows: 10 },
      { first: 11, last: 20, rows: 10 },
      { first: 21, last: 25, rows: 5 },
    ])
    for (const text of statements) expect(text).toMatch(/^select \/\* list \*\/ "id" from /)
  })

  it('updates the rows of a range that match the walk’s where, in one statement', async () => {
    const walk = all.inBatches(5, { where: (is) => is('group_id', '<', 3) })
    const range = await within(() => walk.nextBatch())
    statements.length = 0
    const changed = await within(async () => range?.update({ done: true }))
    expect(statements).toEqual([
      expect.stringMatching(/^update "tallies" set "done" = \$1 where .*"group_id" < .*"id" >= .*"id" <= /),
    ])
    const { rows } = await sql<{
      id: number
      group_id: number
    }>`select id, group_id from tallies where done`.execute(db)
    expect([changed, rows.length]).toEqual([5, 5])
    expect(rows.every(({ id, group_id }) => id <= Number(range?.last) && group_id < 3)).toBe(true)
  })

  it('deletes every matching row, and no other rows', async () => {
    let deleted = 0
    for await (const range of here(all.inBatches(4, { where: (is) => is('group_id', '>', 2) })))
      deleted += await within(() => range.delete())
    const left = await within(() => all.findAll())
    expect([left.length + deleted, left.every(({ group_id }) => group_id <= 2)]).toEqual([25, true])
  })

  it('changes nothing without changes', async () => {
    const range = await within(() => all.inBatches(5).nextBatch())
    statements.length = 0
    expect([await within(async () => range?.update({})), statements.length]).toEqual([0, 0])
  })

  it('checks the condition again for a row that another transaction changes meanwhile', async () => {
    const range = await within(() => all.inBatches(25, { where: (is) => is('done', 'is', null) }).nextBatch())
    const other = await db.startTransaction().execute()
    await sql`update tallies set done = false where id = 7`.execute(other)
    const updating = within(async () => range?.update({ done: true }))
    await lockWait(db)
    await other.commit().execute()
    expect(await updating).toBe(24)
    expect((await within(() => all.find(7)))?.done).toBe(false)
  })
})
