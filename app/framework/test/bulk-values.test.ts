import { type ColumnType, type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorizeRecord,
  Conflict,
  labelsOf,
  repository,
  resource,
  routes,
  RowsGone,
  secured,
  withDatabase,
} from 'pergola'
import { createLeaves, Leaf, leafPolicy, leafScope } from './fixtures/leaf.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, User, users } from './fixtures/user.ts'

interface PebbleTable {
  id: Generated<string>
  colour: ColumnType<string, string | undefined>
  weight: ColumnType<number | null, number | null | undefined>
  version: ColumnType<number | null, number | null | undefined>
}

declare module 'pergola' {
  interface Tables {
    pebbles: PebbleTable
    grains: { id: Generated<number>; colour: Generated<string> }
  }
}

const Pebble = resource('Pebble', {
  table: 'pebbles',
  id: 'uuid',
  input: z.strictObject({}),
  columns: ['colour', 'version', 'weight'],
})
const Grain = resource('Grain', { table: 'grains', input: z.strictObject({}), columns: ['colour'] })
const pebbles = repository(Pebble).asSystem('test')
const grains = repository(Grain).asSystem('test')
const leaves = repository(Leaf, { policy: leafPolicy, scope: leafScope })
const all = leaves.asSystem('test')
const leafRoutes = routes('/leaves', {
  'POST /many': [
    secured(),
    async (req, res) => {
      const drafts = (req.body as { titles: string }).titles.split(' ').filter(Boolean)
      const authorized = await Promise.all(
        drafts.map((title) => authorizeRecord(req, 'create', Leaf, { title }, { set: ['title'] })),
      )
      app.statements.length = 0
      const ids = await leaves.saveMany(authorized)
      res.json({ ids, sent: app.statements })
    },
  ],
})
const app = await testApp({
  resources: [{ repository: leaves, routes: { leafRoutes } }, { repository: users }],
})
const within = <Result>(work: () => Promise<Result>) => withDatabase(app.db, work)
const make = (count: number) =>
  within(() => all.saveMany(Array.from({ length: count }, (_, n) => ({ owner_id: 1, title: `Leaf ${n}` }))))
const find = (id: number) => within(() => leaves.asSystem('test').find(id))

beforeAll(async () => {
  await createLeaves(app.db)
  await sql`create table pebbles (id uuid primary key default gen_random_uuid(),
    colour text not null default 'grey', weight integer, version integer)`.execute(app.db)
  await sql`create table grains (id bigint generated always as identity primary key,
    colour text not null default 'grey')`.execute(app.db)
})

describe('an insert without values', () => {
  it.each([
    ['bigint ids', grains],
    ['uuids', pebbles],
  ])('uses the defaults of the columns: %s', async (_what, table) => {
    expect(await within<object>(() => table.insert({}))).toMatchObject({ colour: 'grey' })
    expect(await within<object>(() => table.insert({ colour: undefined }))).toMatchObject({ colour: 'grey' })
    for (const rows of [[{}], [{}, {}], [{}, { colour: 'red' }], [{ colour: undefined }]]) {
      const ids = await within<unknown[]>(() => table.saveMany(rows as never))
      const stored = await within<object[]>(() =>
        Promise.all(ids.map((id) => table.find(id as never) as Promise<object>)),
      )
      expect(stored).toMatchObject(
        rows.map(({ colour = 'grey' }: { colour?: string | undefined }) => ({ colour })),
      )
    }
  })
})

describe('saveMany without rows', () => {
  it.each([
    ['a list', () => []],
    ['a set', () => new Set<never>()],
    ['a generator', function* () {}],
  ])('sends no statement: %s', async (_what, rows) => {
    const hooked = repository(Leaf, { hooks: { afterInsert: () => {} } }).asSystem('test')
    app.statements.length = 0
    expect(await within(() => all.saveMany(rows()))).toEqual([])
    expect(await within(() => hooked.saveMany(rows()))).toEqual([])
    expect(app.statements).toEqual([])
  })

  it('sends no statement for drafts either', async () => {
    const client = await app.signInAs((await within(() => makeUser())).email)
    expect((await client.post('/leaves/many', { form: { titles: '' } })).json()).toEqual({
      ids: [],
      sent: [],
    })
    const answer = (await client.post('/leaves/many', { form: { titles: 'Ann Ben' } })).json()
    expect((answer as { ids: number[] }).ids).toHaveLength(2)
  })

  it('closes its source if the transaction can’t begin', async () => {
    let isClosed = false
    const source = function* () {
      try {
        yield { owner_id: 1, title: 'refused' }
      } finally {
        isClosed = true
      }
    }
    await expect(all.saveMany(source())).rejects.toThrow('No database is available')
    expect(isClosed).toBe(true)
  })
})

describe('an id beyond 2^53', () => {
  const far = [2 ** 53, 2 ** 63, 1e30, -1e30, Infinity, Number.NaN, 1.5]

  it.each(far)('is a missing record for every write: %d', (id) =>
    within(async () => {
      expect(await all.update(id, { note: 'x' })).toBeNull()
      expect(await all.delete(id)).toBe(false)
      expect(await all.restore(id)).toBeNull()
      expect(await all.purge(id)).toBe(false)
      const error = await all
        .upsertMany([{ id, note: 'x' }], { columns: ['note'] })
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(RowsGone)
      expect(error).toMatchObject({ ids: [id] })
    }),
  )

  it('has no label', async () => {
    const admin = await within(() => makeUser({ roles: ['admin'] }))
    const labels = await within(() => labelsOf(app.contextFor(admin), User, [...far, admin.id]))
    expect([...labels.keys()]).toEqual([admin.id])
  })
})

describe('upsertMany', () => {
  it('finds a uuid in upper case', async () => {
    const [one = '', two = ''] = await within(() => pebbles.saveMany([{}, {}]))
    const rows = [
      { id: one.toUpperCase(), weight: 1 },
      { id: two, weight: 2 },
    ]
    expect(await within(() => pebbles.upsertMany(rows, { columns: ['weight'] }))).toBe(2)
    expect(await within(() => pebbles.find(one))).toMatchObject({ weight: 1 })
    const twice = [{ id: one, weight: 3 }, ...rows]
    await expect(within(() => pebbles.upsertMany(twice, { columns: ['weight'] }))).rejects.toThrow(
      'appears twice',
    )
  })

  it('with ifUnchanged writes rows in the version that the caller read', async () => {
    const ids = await make(1_200)
    const read = await within(() => all.findAll({ where: (is) => is('id', 'in', ids) }))
    const rows = read.map((row) => ({ ...row, count: 7 }))
    expect(await within(() => all.upsertMany(rows, { columns: ['count'], ifUnchanged: true }))).toBe(1_200)
    expect(await find(ids[0] ?? 0)).toMatchObject({ count: 7, version: 2 })
  })

  it('with ifUnchanged throws a Conflict for rows in another version, and writes nothing', async () => {
    const ids = await make(3)
    const read = await within(() => all.findAll({ where: (is) => is('id', 'in', ids) }))
    const [, changed = 0] = ids
    await within(() => all.update(changed, { note: 'theirs' }))
    const rows = read.map((row) => ({ ...row, count: 7 }))
    const error = await within(() => all.upsertMany(rows, { columns: ['count'], ifUnchanged: true })).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Conflict)
    expect(String(error)).toContain(`Leaf ${changed} changed`)
    for (const id of ids) expect(await find(id)).toMatchObject({ count: 0 })
    expect(await within(() => all.upsertMany(rows, { columns: ['count'] }))).toBe(3)
  })

  it('writes a column with the name version that is not managed', async () => {
    const [id = ''] = await within(() => pebbles.saveMany([{}]))
    const rows = [{ id, version: 7 }]
    expect(await within(() => pebbles.upsertMany(rows, { columns: ['version'] }))).toBe(1)
    expect(await within(() => pebbles.find(id))).toMatchObject({ version: 7 })
  })

  it('with ifUnchanged needs a version in the resource and in each row', async () => {
    const [id = 0] = await make(1)
    const [pebble = ''] = await within(() => pebbles.saveMany([{}]))
    app.statements.length = 0
    await expect(
      within(() => all.upsertMany([{ id, count: 1 }] as never, { columns: ['count'], ifUnchanged: true })),
    ).rejects.toThrow("has no 'version'")
    const unversioned = { columns: ['weight'], ifUnchanged: true } as never
    await expect(
      within(() => pebbles.upsertMany([{ id: pebble, weight: 1 }] as never, unversioned)),
    ).rejects.toThrow('Pebble has no version')
    expect(app.statements).toEqual([])
  })
})
