import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type BatchOptions, contextOf, registryOfResources, withDatabase } from 'pergola'
import { makeNote, type Note, notes } from './fixtures/note.ts'
import { resources } from './fixtures/resources.ts'
import { lockWait, testDatabase } from 'pergola/testing'
import { createTallies, tallies, Tally, fillTallies } from './fixtures/tally.ts'
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
  it('gives every row once by rising id, and ends with a batch that is not full', async () => {
    const walk = all.findInBatches(10)
    expect(await idsOfBatches(walk)).toEqual([upTo(10), upTo(20).slice(10), upTo(25).slice(20)])
    expect(statements).toHaveLength(3)
  })

  it.each([
    [0, 1, []],
    [1, 1, [[1]]],
    [20, 3, [upTo(10), upTo(20).slice(10)]],
  ])('of %i rows takes %i queries', async (count, queries, batches) => {
    await fill(count)
    expect(await idsOfBatches(all.findInBatches(10))).toEqual(batches)
    expect(statements).toHaveLength(queries)
  })

  it('stays at its end without a query, also when rows are added', async () => {
    const walk = all.findInBatches(100)
    await within(() => walk.nextBatch())
    await sql`insert into tallies (name, serial, at, group_id, place) values ('late', 1, now(), 99, 1)`.execute(
      db,
    )
    statements.length = 0
    expect([await within(() => walk.nextBatch()), await within(() => walk.nextBatch())]).toEqual([null, null])
    expect(statements).toEqual([])
    expect(await idsOfBatches(all.findInBatches(100))).toEqual([[...upTo(26)]])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('takes no size of %d', (size) => {
    expect(() => all.findInBatches(size)).toThrow(RangeError)
    expect(() => all.findEach(size)).toThrow(RangeError)
    expect(() => all.inBatches(size)).toThrow(RangeError)
  })

  it('accepts sizes above the maximum of a page', async () => {
    await fill(150)
    expect(await idsOfBatches(all.findInBatches(5_000))).toEqual([upTo(150)])
  })

  it('gives rows that are frozen through and through, without hidden columns', async () => {
    const [row] = (await within(() => all.findInBatches(1).nextBatch())) ?? []
    expect([Object.isFrozen(row), Object.isFrozen(row?.tags), row?.tags]).toEqual([true, true, ['tag']])
    expect(row).not.toHaveProperty('secret')
    expect(row).not.toHaveProperty('__version')
  })

  it('gives one batch after the other to calls at the same moment', async () => {
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
    const seen = await idsOfBatches(notes.visibleTo(ctx).findInBatches(1, options))
    expect([
      seen.length,
      (await idsOfBatches(notes.asSystem('test').findInBatches(1, options))).length,
    ]).toEqual([2, 4])
    const scopeless = contextOf(null, { registry: registryOfResources([{ repository: tallies }]) })
    expect(await within(() => tallies.visibleTo(scopeless).findInBatches(5).nextBatch())).toBeNull()
  })

  it('skips nothing when the rows of a batch are deleted, or no longer match, on the way', async () => {
    const seen: number[] = []
    await within(async () => {
      for await (const batch of all.findInBatches(4, { where: (is) => is('done', 'is', null) })) {
        for (const { id } of batch) {
          seen.push(id)
          if (id % 2 === 0) await all.delete(id)
          else await all.update(id, { done: true })
        }
      }
    })
    expect(seen).toEqual(upTo(25))
  })

  it('continues in a second loop where the first stopped', async () => {
    const walk = all.findInBatches(10)
    for await (const batch of here(walk)) {
      expect(idsOf(batch)).toEqual(upTo(10))
      break
    }
    expect(await idsOfBatches(walk)).toEqual([upTo(20).slice(10), upTo(25).slice(20)])
  })

  it('goes by the bounds it is given, themselves included', async () => {
    expect(await idsOfBatches(all.findInBatches(3, { start: 4, until: 9 }))).toEqual([
      [4, 5, 6],
      [7, 8, 9],
    ])
    expect(await idsOfBatches(all.findInBatches(30, { after: 4, until: '7' }))).toEqual([[5, 6, 7]])
    expect(await idsOfBatches(all.findInBatches(3, { start: 9, until: 4 }))).toEqual([])
  })
})

/** Each step in the database of this file. */
const here = <Item>(walk: AsyncIterable<Item>): AsyncIterable<Item> => ({
  [Symbol.asyncIterator]() {
    const iterator = walk[Symbol.asyncIterator]()
    return { next: () => within(() => iterator.next()) }
  },
})

describe('order', () => {
  it.each([
    ['uuid', 'code'],
    ['text under a collation', 'name'],
    ['bigint beyond 2^53', 'serial'],
    ['composite', ['group_id', 'place']],
    ['microseconds', ['at', 'id']],
    ['a unique key and more', ['place', 'group_id', 'done']],
  ] as const)(
    'by %s returns every row once in the order of the database, and resumes at any row',
    async (_, order) => {
      await sql`update tallies set done = false`.execute(db)
      await sql`alter table tallies alter done set not null`.execute(db)
      const by = sql.raw([order].flat().join(', '))
      const { rows } = await sql<{ id: number }>`select id from tallies order by ${by}`.execute(db)
      const ids: number[] = []
      let position: string | null = null
      for (const size of [1, 2, 3, 4, 5, 6, 7]) {
        const walk = all.findInBatches(size, { order: order as never, position })
        ids.push(...idsOf((await within(() => walk.nextBatch())) ?? []))
        position = walk.position
      }
      await sql`alter table tallies alter done drop not null`.execute(db)
      expect(ids).toEqual(idsOf(rows).slice(0, 28))
    },
  )

  it.each([
    ['at', 'no unique index'],
    [['group_id', 'at'], 'no unique index'],
    [['id', 'done'], 'done is nullable'],
    ['colour', 'no column colour'],
    ['secret', 'secret is hidden'],
    [[], 'at least one'],
    [['id', 'id'], 'once'],
  ])('by %j is refused before any row is read', async (order, message) => {
    await expect(
      within(async () => all.findInBatches(10, { order: order as never }).nextBatch()),
    ).rejects.toThrow(message)
    expect(statements.filter((text) => text.includes('from "tallies"'))).toEqual([])
  })

  it.each([
    ['some rows', 'serial', '(serial) where id > 0'],
    ['an expression', 'serial', '((serial + 0))'],
    ['another collation', 'name', '(name collate "C")'],
    ['more columns', 'serial', '(serial, place)'],
  ])('is not taken for unique because of an index over %s', async (_, order, index) => {
    const walk = db.transaction().execute(async (transaction) => {
      await sql`alter table tallies drop constraint ${sql.ref(`tallies_${order}_key`)}`.execute(transaction)
      await sql`create unique index other on tallies ${sql.raw(index)}`.execute(transaction)
      await withDatabase(transaction, () => all.findInBatches(5, { order: order as 'name' }).nextBatch())
    })
    await expect(walk).rejects.toThrow('no unique index')
  })

  it.each([
    [
      'an index that was never finished',
      `update pg_index set indisvalid = false where indexrelid = 'tallies_serial_key'::regclass`,
    ],
    [
      'a constraint that may be broken until the commit',
      `alter table tallies drop constraint tallies_serial_key, add unique (serial) deferrable`,
    ],
  ])('is not taken for unique because of %s', async (_what, change) => {
    const walk = db.transaction().execute(async (transaction) => {
      await sql.raw(change).execute(transaction)
      await withDatabase(transaction, () => all.findInBatches(5, { order: 'serial' }).nextBatch())
    })
    await expect(walk).rejects.toThrow('no unique index')
  })
})

describe('types', () => {
  it('reject an order by a nullable, a hidden or a missing column', () => {
    const never = () => [
      tallies.asSystem('test').findInBatches(10, { order: ['group_id', 'place'] }),
      // @ts-expect-error may be null
      tallies.asSystem('test').findInBatches(10, { order: 'done' }),
      // @ts-expect-error hidden
      tallies.asSystem('test').findInBatches(10, { order: 'secret' }),
      // @ts-expect-error no column
      tallies.asSystem('test').findInBatches(10, { order: 'colour' }),
      // @ts-expect-error only the system writes without a decision
      tallies.visibleTo(contextOf(null)).inBatches(10),
    ]
    expect(never).toBeTypeOf('function')
    expect(Tally.table).toBe('tallies')
  })
})

describe('position', () => {
  it('is null before the first row, and then its exact key', async () => {
    const walk = all.findInBatches(10, { order: 'serial' })
    expect(walk.position).toBeNull()
    const batch = await within(() => walk.nextBatch())
    expect(walk.position).toBe(`["tallies",["serial","${batch?.at(-1)?.serial}"]]`)
  })

  it('resumes at the position of another walk, with another size', async () => {
    const first = all.findInBatches(10)
    await within(() => first.nextBatch())
    const rest = await idsOfBatches(all.findInBatches(8, { position: first.position }))
    expect(rest).toEqual([upTo(18).slice(10), upTo(25).slice(18)])
    expect(await idsOfBatches(all.findInBatches(30, { position: null }))).toEqual([upTo(25)])
  })

  it('keeps the bounds of the resumed walk', async () => {
    const position = '["tallies",["id","3"]]'
    expect(await idsOfBatches(all.findInBatches(30, { position, after: 10, until: 12 }))).toEqual([[11, 12]])
  })

  it.each([
    '',
    '42',
    'null',
    '[]',
    '{"id":1}',
    '["tallies"]',
    '["notes",["id","1"]]',
    '["tallies",["id",1]]',
    '["tallies",["code","1"]]',
    '["tallies",["id","1"],["place","1"]]',
  ])('%s is refused at the call', (position) => {
    expect(() => all.findInBatches(10, { position })).toThrow('Not a position of a walk over tallies by id')
  })

  it.each(['abc', '1; drop table tallies', '1.5', '99999999999999999999', ''])(
    'with the key %j is refused before any row is read',
    async (key) => {
      const walk = all.findInBatches(10, { position: JSON.stringify(['tallies', ['id', key]]) })
      await expect(within(() => walk.nextBatch())).rejects.toThrow('is not a key of Tally (bigint)')
      await expect(within(async () => all.findInBatches(10, { until: key }).nextBatch())).rejects.toThrow(
        'is not a key',
      )
    },
  )

  it('of a bound has one value for each column', () => {
    expect(() => all.findInBatches(10, { start: [1, 2] })).toThrow('one value for each of id')
    expect(() => all.findInBatches(10, { order: ['group_id', 'place'], until: 1 })).toThrow('group_id, place')
  })
})

describe('findEach', () => {
  it('gives the rows of the batches one by one, in as many queries', async () => {
    const ids: number[] = []
    for await (const { id } of here(all.findEach(10))) ids.push(id)
    expect(ids).toEqual(upTo(25))
    expect(statements).toHaveLength(3)
  })

  it('ends with null, and from then on without a query', async () => {
    const walk = all.findEach(30, { start: 25 })
    expect((await within(() => walk.next()))?.id).toBe(25)
    statements.length = 0
    expect([await within(() => walk.next()), await within(() => walk.next())]).toEqual([null, null])
    expect(statements).toEqual([])
  })

  it('gives each row to one of the calls that are made at the same moment', async () => {
    const walk = all.findEach(4)
    const rows = await within(() => Promise.all(Array.from({ length: 30 }, () => walk.next())))
    expect(rows.map((row) => row?.id ?? null)).toEqual([
      ...upTo(25),
      ...Array.from({ length: 5 }, () => null),
    ])
  })

  it('stands at the last row that was handed out, whatever was fetched', async () => {
    const walk = all.findEach(4)
    const positions = [walk.position]
    for (let count = 0; count < 5; count++) {
      await within(() => walk.next())
      positions.push(walk.position)
    }
    expect(positions).toEqual([null, ...upTo(5).map((id) => `["tallies",["id","${id}"]]`)])
    const [[next] = []] = await idsOfBatches(all.findInBatches(1, { position: walk.position }))
    expect(next).toBe(6)
    while ((await within(() => walk.next())) !== null);
    expect(walk.position).toBe('["tallies",["id","25"]]')
  })

  it('continues after a loop that stopped early', async () => {
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
  const addOne = () =>
    sql`insert into tallies (name, serial, at, group_id, place)
      select 'new ' || max(id), max(serial) + 1, now(), 100, max(id) from tallies`.execute(db)

  it('ends at the largest key there was, though the loop adds rows', async () => {
    const walk = all.findEach(10, { snapshot: true })
    const ids: number[] = []
    for await (const { id } of here(walk)) {
      ids.push(id)
      await addOne()
    }
    expect(ids).toEqual(upTo(25))
  })

  it('ends a loop that moves keys up', async () => {
    const seen: number[] = []
    for await (const { id } of here(all.findEach(5, { snapshot: true }))) {
      seen.push(id)
      await sql`update tallies set id = id + 100 where id = ${id}`.execute(db)
    }
    expect(seen).toEqual(upTo(25))
  })

  it('keeps to an earlier bound, and finds nothing in an empty table', async () => {
    expect(await idsOfBatches(all.findInBatches(9, { snapshot: true, until: 3 }))).toEqual([[1, 2, 3]])
    await fill(0)
    const walk = all.findInBatches(9, { snapshot: true })
    expect([await within(() => walk.nextBatch()), await within(() => walk.nextBatch())]).toEqual([null, null])
    expect(statements).toHaveLength(1)
  })
})

describe('signal', () => {
  it('stops before the next batch by throwing its reason, and the position stays', async () => {
    const stopping = new AbortController()
    const walk = all.findInBatches(10, { signal: stopping.signal })
    await within(() => walk.nextBatch())
    const reason = new Error('The server is going down.')
    stopping.abort(reason)
    statements.length = 0
    await expect(within(() => walk.nextBatch())).rejects.toBe(reason)
    expect(statements).toEqual([])
    const rest = await idsOfBatches(all.findInBatches(20, { position: walk.position }))
    expect(rest).toEqual([upTo(25).slice(10)])
  })

  it('lets findEach give the rest of its batch', async () => {
    const stopping = new AbortController()
    const walk = all.findEach(10, { signal: stopping.signal })
    await within(() => walk.next())
    stopping.abort()
    for (let count = 0; count < 9; count++) await within(() => walk.next())
    await expect(within(() => walk.next())).rejects.toThrow('aborted')
    expect(walk.position).toBe('["tallies",["id","10"]]')
  })
})

describe('progress', () => {
  it('returns the number of rows and the share of the key range, without a count', async () => {
    const walk = all.findEach(10)
    const seen = [await within(() => walk.progress())]
    for (let row = 0; row < 13; row++) await within(() => walk.next())
    statements.length = 0
    seen.push(await within(() => walk.progress()))
    expect(statements.filter((text) => text.includes('count('))).toEqual([])
    while ((await within(() => walk.next())) !== null);
    seen.push(await within(() => walk.progress()))
    expect(seen).toEqual([
      { rows: 0, share: 0 },
      { rows: 13, share: 0.5 },
      { rows: 25, share: 1 },
    ])
  })

  it('measures the range that is walked', async () => {
    const walk = all.findInBatches(5, { after: 10, until: 20 })
    await within(() => walk.nextBatch())
    expect(await within(() => walk.progress())).toEqual({ rows: 5, share: 0.5 })
  })

  it('is never more than the whole, whatever is deleted behind the walk', async () => {
    const walk = all.findInBatches(10)
    await within(() => walk.nextBatch())
    await sql`delete from tallies where id > 5`.execute(db)
    expect(await within(() => walk.progress())).toEqual({ rows: 10, share: 1 })
    await sql`delete from tallies`.execute(db)
    expect(await within(() => walk.progress())).toEqual({ rows: 10, share: 1 })
  })

  it.each(['name', 'code', ['group_id', 'place']] as const)('knows no share by %j', async (order) => {
    const walk = all.findInBatches(5, { order: order as 'name' })
    await within(() => walk.nextBatch())
    expect(await within(() => walk.progress())).toEqual({ rows: 5, share: null })
  })
})

describe('inBatches', () => {
  it('gives ranges of keys without reading rows', async () => {
    const ranges: object[] = []
    for await (const { first, last, rows } of here(all.inBatches(10))) ranges.push({ first, last, rows })
    expect(ranges).toEqual([
      { first: ['1'], last: ['10'], rows: 10 },
      { first: ['11'], last: ['20'], rows: 10 },
      { first: ['21'], last: ['25'], rows: 5 },
    ])
    for (const text of statements) expect(text).toMatch(/^select \/\* list \*\/ "id" from /)
  })

  it('updates a range in one statement over its keys and the walk’s where', async () => {
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
    expect(rows.every(({ id, group_id }) => id <= Number(range?.last[0]) && group_id < 3)).toBe(true)
  })

  it('deletes every row that matches, and leaves the others', async () => {
    let deleted = 0
    for await (const range of here(
      all.inBatches(4, { order: ['group_id', 'place'], where: (is) => is('group_id', '>', 2) }),
    ))
      deleted += await within(() => range.delete())
    const left = await within(() => all.findAll())
    expect([left.length + deleted, left.every(({ group_id }) => group_id <= 2)]).toEqual([25, true])
  })

  it('changes nothing when there is nothing to change', async () => {
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
