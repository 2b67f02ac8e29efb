import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { authorizeRecord, inTransaction, repository, routes, RowsGone, secured, withDatabase } from 'pergola'
import { createLeaves, Leaf, leafPolicy, leafScope } from './fixtures/leaf.ts'
import { lockWait, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const leaves = repository(Leaf, {
  policy: leafPolicy,
  scope: leafScope,
})
const all = leaves.asSystem('test')
const { db, url, statements } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)

beforeAll(() => createLeaves(db))

const titled = function* (count: number, title = 'Many') {
  for (let index = 0; index < count; index++) yield { owner_id: 1, title: `${title} ${index}` }
}
const titles = (prefix: string) =>
  within(() => all.findAll({ where: (is) => is('title', 'like', `${prefix} %`) })).then((rows) =>
    rows.map(({ title }) => title).toReversed(),
  )
const make = (count: number, title: string) => within(() => all.saveMany(titled(count, title)))

describe('saveMany', () => {
  it('stores rows with different columns in their order, and returns the ids', async () => {
    const rows = [
      { owner_id: 1, title: 'Mixed 0' },
      { owner_id: 1, title: 'Mixed 1', count: 7, tags: ['a'] },
      { owner_id: 1, title: 'Mixed 2', marks: JSON.stringify([1]) },
    ]
    const ids = await within(() => all.saveMany(rows))
    const stored = await within(() => Promise.all(ids.map((id) => leaves.asSystem('test').find(id))))
    expect(stored).toMatchObject([
      { title: 'Mixed 0', count: 0, tags: [], version: 1 },
      { title: 'Mixed 1', count: 7, tags: ['a'] },
      { title: 'Mixed 2', marks: [1] },
    ])
  })

  it.each([0, 1, 999, 1_000, 1_001, 2_500])('stores %i rows', async (count) => {
    expect(await make(count, `Count${count}`)).toHaveLength(count)
    expect(await titles(`Count${count}`)).toEqual(
      [...titled(count, `Count${count}`)].map(({ title }) => title),
    )
  })

  it('throws after a deadlock, because it can’t read its rows again', async () => {
    await sql`create sequence deadlocks`.execute(db)
    await sql`create function deadlock_once() returns trigger language plpgsql as $$ begin
      if nextval('deadlocks') = 1 then raise exception 'deadlock' using errcode = 'deadlock_detected'; end if;
      return new; end $$`.execute(db)
    await sql`create trigger deadlock_once before insert on leaves
      for each row when (new.title like 'Deadlock %') execute function deadlock_once()`.execute(db)
    await expect(make(3, 'Deadlock')).rejects.toThrow('deadlock')
    expect(await titles('Deadlock')).toEqual([])
    expect(await make(3, 'Deadlock')).toHaveLength(3)
  })

  it.each(['saveMany', 'upsertMany'])(
    '%s refuses a generator that a rolled-back transaction has read',
    async (write) => {
      const [id = 0] = await make(1, 'Retried')
      function* rows() {
        yield write === 'saveMany' ? { owner_id: 1, title: 'Generated' } : { id, note: 'Generated' }
      }
      const generator = rows()
      let attempts = 0
      const work = within(() =>
        inTransaction(async () => {
          if (write === 'saveMany') await all.saveMany(generator as never)
          else await all.upsertMany(generator as never, { columns: ['note'] })
          if (attempts++ === 0) throw Object.assign(new Error('deadlock'), { code: '40P01' })
        }),
      )
      await expect(work).rejects.toThrow('Create the generator in the transaction')
      expect(attempts).toBe(1)
      expect(await titles('Generated')).toEqual([])
    },
  )

  it('sends no more parameters than one statement allows', async () => {
    const columns = Array.from({ length: 100 }, (_, index) => `c${index}`)
    statements.length = 0
    const wide = Object.fromEntries(columns.map((name) => [name, 1]))
    await expect(within(() => all.saveMany(Array<never>(1_000).fill(wide as never)))).rejects.toThrow(
      'does not exist',
    )
    const [insert = ''] = statements.filter((text) => text.startsWith('insert'))
    expect(insert.match(/\$\d+/g)?.length).toBe(65_500)
  })

  it('reads sync and async iterables as it writes, and closes them on an error', async () => {
    let [count, isClosed] = [0, false]
    const source = async function* () {
      try {
        for (;;) {
          await Promise.resolve()
          yield { owner_id: 1, title: ++count === 1_500 ? 'refused' : `Endless ${count}` }
        }
      } finally {
        isClosed = true
      }
    }
    await expect(within(() => all.saveMany(source()))).rejects.toMatchObject({ code: '23514' })
    expect([count, isClosed]).toEqual([2_001, true])
    expect(await titles('Endless')).toEqual([])
  })

  it('is part of the open transaction', async () => {
    const work = within(() =>
      inTransaction(async () => {
        await all.saveMany(titled(3, 'Outer'))
        throw new Error('No.')
      }),
    )
    await expect(work).rejects.toThrow('No.')
    expect(await titles('Outer')).toEqual([])
  })

  it('stores nothing if its connection breaks', async () => {
    const source = async function* () {
      yield* titled(3_000, 'Killed')
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`.execute(db)
      yield* titled(3_000, 'Killed')
    }
    await expect(within(() => all.saveMany(source()))).rejects.toThrow(
      /terminat|ECONNRESET|EPIPE|connection error|server conn/,
    )
    expect(await titles('Killed')).toEqual([])
    expect(await make(1, 'After')).toHaveLength(1)
  })

  it('stores 100,000 rows in a heap of 64 MB', async () => {
    const child = fork(join(import.meta.dirname, 'fixtures/save-many.ts'), [url], {
      execArgv: ['--max-old-space-size=64'],
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    expect(code).toBe(0)
    const { rows } = await sql`select count(*)::int, count(distinct title)::int as titles from leaves
      where title like 'Heap %'`.execute(db)
    expect(rows).toEqual([{ count: 100_000, titles: 100_000 }])
  }, 120_000)
})

describe('saveMany of drafts', async () => {
  const refused: unknown[] = []
  const leafRoutes = routes('/leaves', {
    'POST /many': [
      secured(),
      async (req, res) => {
        const drafts = async function* () {
          for (const title of (req.body as { titles: string }).titles.split(' '))
            yield await authorizeRecord(req, 'create', Leaf, { title }, { set: ['title'] })
        }
        res.json(await leaves.saveMany(drafts()))
      },
    ],
    'POST /unproven': [
      secured(),
      async (req, res) => {
        const draft = await authorizeRecord(req, 'create', Leaf, { title: 'Proven 1' }, { set: ['title'] })
        for (const drafts of [
          [draft, { ...draft }],
          [draft, draft],
        ])
          await leaves.saveMany(drafts as never).catch((error: unknown) => refused.push(error))
        // Both calls were rolled back, so that the draft may still be stored once.
        res.json(await leaves.saveMany([draft]))
        await leaves.insert(draft).catch((error: unknown) => refused.push(error))
      },
    ],
    'POST /again': [
      secured(),
      async (req, res) => {
        const draft = await authorizeRecord(req, 'create', Leaf, { title: 'Again 1' }, { set: ['title'] })
        let attempt = 0
        const work = async () => {
          await leaves.insert(draft)
          if (attempt++ === 0) throw Object.assign(new Error('collision'), { code: '40001' })
        }
        await inTransaction(work, { retries: 1 })
        res.end()
      },
    ],
  })
  const app = await testApp({
    database: { db, url, statements },
    resources: [{ repository: leaves, routes: { leafRoutes } }, { repository: users }],
  })
  const client = await app.signInAs((await within(() => makeUser())).email)

  it('stores authorized drafts', async () => {
    const answer = await client.post('/leaves/many', { form: { titles: 'Ann Ben' } })
    expect(answer.json()).toHaveLength(2)
  })

  it('stores nothing if a draft is not authorized or repeated', async () => {
    const answer = await client.post('/leaves/unproven')
    expect(answer.json()).toHaveLength(1)
    expect(refused.map(String)).toEqual(Array(3).fill(expect.stringContaining("'create' was not authorized")))
    expect(await titles('Proven')).toEqual(['Proven 1'])
  })

  it('and insert store a draft again after a rollback', async () => {
    expect((await client.post('/leaves/again')).status).toBe(200)
    expect(await titles('Again')).toEqual(['Again 1'])
  })
})

describe('upsertMany', () => {
  const find = (id: number) => within(() => leaves.asSystem('test').find(id))
  const one = async () => (await make(1, 'One'))[0] ?? 0

  it('writes values of all column types as they were read', async () => {
    const values = {
      count: -7,
      is_green: false,
      tags: ['a,b', '"', 'null', ''],
      seen_at: '2026-04-27T12:00:00.123456Z',
      note: null,
      title: "It's $1",
    }
    const marked = [{ deep: [1, 'two', null] }, [1, [2], 'three'], 'text', 7, true, null, '"quoted"']
    for (const marks of marked) {
      const [id, other] = [await one(), await one()]
      await within(() => all.update(id, { ...values, marks: JSON.stringify(marks) }))
      const read = (await find(id))!
      const columns = [...(Object.keys(values) as (keyof typeof values)[]), 'marks'] as const
      expect(await within(() => all.upsertMany([read, { ...read, id: other }], { columns }))).toBe(2)
      expect(await find(id)).toMatchObject({ ...values, marks, version: 3 })
      expect(await find(other)).toMatchObject({ ...values, marks, version: 2 })
    }
  })

  it('writes only nulls, in more rows than one statement allows', async () => {
    const ids = await make(1_500, 'Nulls')
    await within(() =>
      all.upsertMany(
        ids.map((id) => ({ id, note: 'x', seen_at: null })),
        { columns: ['note', 'seen_at'] },
      ),
    )
    await within(() =>
      all.upsertMany(
        ids.map((id) => ({ id, note: null })),
        { columns: ['note'] },
      ),
    )
    const rows = await within(() => all.findAll({ where: (is) => is('title', 'like', 'Nulls %') }))
    expect(new Set(rows.map(({ note, version }) => `${note} ${version}`))).toEqual(new Set(['null 3']))
  })

  it('distinguishes a null column from a JSON null', async () => {
    const id = await one()
    await within(() => all.upsertMany([{ id, marks: null }], { columns: ['marks'] }))
    const { rows } = await sql`select marks is null as "isNull" from leaves where id = ${id}`.execute(db)
    expect(rows).toEqual([{ isNull: true }])
  })

  it('keeps concurrent changes of other columns', async () => {
    const id = await one()
    const read = (await find(id))!
    await within(() => all.update(id, { note: 'theirs' }))
    await within(() => all.upsertMany([{ ...read, count: 7 }], { columns: ['count'] }))
    expect(await find(id)).toMatchObject({ count: 7, note: 'theirs', version: 3 })
  })

  it('throws with the rows that don’t exist or are in the trash, and writes nothing', async () => {
    const [kept, purged, trashed] = [await one(), await one(), await one()]
    await within(async () => [await all.purge(purged), await all.delete(trashed)])
    const rows = [kept, purged, trashed].map((id) => ({ id, note: 'new' }))
    const error = await within(() => all.upsertMany(rows, { columns: ['note'] })).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(RowsGone)
    expect(error).toMatchObject({ status: 409, ids: [purged, trashed], detail: undefined })
    expect(String(error)).toContain(`${purged}, ${trashed}`)
    expect(await find(kept)).toMatchObject({ note: null, version: 1 })
    expect(await within(() => leaves.asSystem('test').withTrashed().find(trashed))).toMatchObject({
      note: null,
    })
  })

  it('sends no statement for invalid rows and columns', async () => {
    const id = await one()
    const refuse = (rows: object[], columns: string[]) =>
      within(() => all.upsertMany(rows as never, { columns } as never))
    statements.length = 0
    await expect(
      refuse(
        [
          { id, note: 'a' },
          { id, note: 'b' },
        ],
        ['note'],
      ),
    ).rejects.toThrow(RangeError)
    for (const column of ['id', 'version', 'updated_at', 'deleted_at'])
      await expect(refuse([{ id, [column]: 1 }], [column])).rejects.toThrow(
        `Leaf.${column} can't be written by upsertMany`,
      )
    await expect(refuse([{ id }], ['note'])).rejects.toThrow("has no 'note'")
    await expect(refuse([{ id, note: 'a' }], [])).rejects.toThrow('Name the columns')
    for (const options of [undefined, {}])
      await expect(
        within(() => all.upsertMany([{ id, note: 'a' }] as never, options as never)),
      ).rejects.toThrow('Name the columns of Leaf to write: upsertMany(rows, { columns: […] }).')
    expect(await refuse([], ['note'])).toBe(0)
    expect(statements).toEqual([])
  })

  it('of the same rows in different orders cause no deadlock', async () => {
    const ids = await make(2_200, 'Crossing')
    const run = (order: readonly number[], note: string) =>
      within(() =>
        all.upsertMany(
          order.map((id) => ({ id, note })),
          { columns: ['note'] },
        ),
      )
    await Promise.all([run(ids, 'a'), run(ids.toReversed(), 'b'), run(ids, 'c'), run(ids.toReversed(), 'd')])
    const rows = await within(() => all.findAll({ where: (is) => is('title', 'like', 'Crossing %') }))
    expect(new Set(rows.map(({ note, version }) => `${note} ${version}`)).size).toBe(1)
    expect(rows[0]?.version).toBe(5)
  })

  it('retries after a deadlock with a transaction that locks rows in another order', async () => {
    const [low = 0, high = 0] = await make(2, 'Deadlock')
    const other = await db.startTransaction().execute()
    await sql`update leaves set count = 1 where id = ${high}`.execute(other)
    const rows = [low, high].map((id) => ({ id, note: 'new' }))
    const upsert = within(() => all.upsertMany(rows, { columns: ['note'] }))
    await lockWait(db)
    // Postgres cancels the transaction that has waited for a second. This is the upsert, unless the test was delayed.
    const isUpsertRetried = await sql`update leaves set count = 1 where id = ${low}`.execute(other).then(
      () => true,
      () => false,
    )
    await (isUpsertRetried ? other.commit() : other.rollback()).execute()
    expect(await upsert).toBe(2)
    const count = isUpsertRetried ? 1 : 0
    for (const id of [low, high]) expect(await find(id)).toMatchObject({ note: 'new', count, version: 2 })
  })

  it('keeps concurrent edits of other columns and restores no deleted row', async () => {
    for (let round = 0; round < 40; round++) {
      const ids = await make(12, `Round${round}`)
      const read = await within(() => Promise.all(ids.map((id) => leaves.asSystem('test').find(id))))
      const soon = <Result>(work: () => Promise<Result>) =>
        new Promise((resolve) => setTimeout(resolve, Math.random() * 4)).then(() => within(work))
      const edited = ids.filter(() => Math.random() < 0.5)
      const removed = round % 2 === 0 ? [] : ids.filter(() => Math.random() < 0.15)
      const remove = (id: number) => (id % 2 === 0 ? all.purge(id) : all.delete(id))
      const [written] = await Promise.all([
        soon(() =>
          all.upsertMany(
            read.flatMap((row) => (row === null ? [] : { ...row, count: 7 })),
            { columns: ['count'] },
          ),
        ).catch((error: unknown) => error),
        ...edited.map((id) => soon(() => all.update(id, { note: 'theirs' }))),
        ...removed.map((id) => soon(() => remove(id))),
      ])
      const after = await within(() => Promise.all(ids.map((id) => leaves.asSystem('test').find(id))))
      const isDone = written === 12
      expect(isDone || written instanceof RowsGone).toBe(true)
      expect(after.map((row) => row !== null)).toEqual(ids.map((id) => !removed.includes(id)))
      const left = after.filter((row) => row !== null)
      expect(left.filter(({ count }) => count !== (isDone ? 7 : 0))).toEqual([])
      // The last write of a row in the trash was before its deletion.
      const inTrash = await within(() =>
        Promise.all(removed.map((id) => leaves.asSystem('test').withTrashed().find(id))),
      )
      expect(inTrash.filter((row) => row !== null && row.updated_at !== row.deleted_at)).toEqual([])
      expect(left.filter(({ id, note }) => (note === 'theirs') !== edited.includes(id))).toEqual([])
    }
  })
})

describe('inBatches', () => {
  const walk = (title: string) => all.inBatches(100, { where: (is) => is('title', 'like', `${title} %`) })

  it('maintains the managed columns, and skips the trash', async () => {
    const [kept = 0, trashed = 0] = await make(2, 'Batched')
    await within(() => all.delete(trashed))
    const before = await within(() => leaves.asSystem('test').find(kept))
    const range = await within(() => walk('Batched').nextBatch())
    expect(await within(async () => range?.update({ note: 'new' }))).toBe(1)
    const after = await within(() => leaves.asSystem('test').find(kept))
    expect(after).toMatchObject({ note: 'new', version: 2 })
    expect(after?.updated_at.localeCompare(before?.updated_at ?? '')).toBe(1)
    await expect(within(async () => range?.update({ version: 7 } as never))).rejects.toThrow(
      'Leaf.version is a managed column',
    )
    expect(await within(async () => range?.delete())).toBe(1)
    expect(await within(() => leaves.asSystem('test').withTrashed().find(kept))).toMatchObject({ version: 3 })
  })
})
