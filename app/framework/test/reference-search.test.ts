import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  field,
  type NewRowOf,
  policy,
  publicRoute,
  referenceChoices,
  repository,
  resource,
  routes,
  scope,
} from 'pergola'
import { fieldRules } from 'pergola/features'
import { missingIndexes } from 'pergola/database'
import { connectForTests } from 'pergola/lab'
import { type TestClient, testDatabase } from 'pergola/testing'
import { plansOf, type Sent } from './fixtures/executed-plans.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'
import { vacuumWhole } from './fixtures/vacuum-whole.ts'

interface PlantTable {
  id: Generated<number>
  name: string
  latin: string
  supplier: string
  public: Generated<boolean>
  owner_id: number | null
}

declare module 'pergola' {
  interface Tables {
    plants: PlantTable
    beds: { id: Generated<number>; plant_id: number }
  }
  interface Policies {
    Plant: typeof plantPolicy
  }
}

const Plant = resource('Plant', {
  table: 'plants',
  label: 'name',
  input: z.strictObject({}),
  columns: ['name', 'latin', 'supplier', 'public'],
  owner: 'owner_id',
  search: ['latin', 'supplier'],
})
const plantPolicy = policy(
  Plant,
  { canShow: () => false },
  {
    fields: fieldRules(Plant, {
      supplier: { see: (ctx, plant) => ctx.hasRole('admin') || ctx.owns(plant.owner_id), set: () => true },
    }),
  },
)
const plants = repository(Plant, {
  policy: plantPolicy,
  scope: scope(Plant, {
    where: (ctx, is) =>
      ctx.hasRole('admin') ? is.lit(true) : is.or([is('public', '=', true), is('owner_id', '=', ctx.userId)]),
  }),
})

const Bed = resource('Bed', {
  table: 'beds',
  input: z.strictObject({ plant_id: field.reference() }),
  references: { plant_id: Plant },
})
const bedRoutes = routes('/beds', {
  'POST /choices': [
    publicRoute(),
    async (req, res) => void res.json(await referenceChoices(req, Bed, { values: {}, errors: {} })),
  ],
})

const database = await testDatabase()
const sent: Sent[] = []
const db = connectForTests(database.url, {
  onStatement: (text, parameters) => sent.push({ text, parameters }),
})
afterAll(() => db.destroy())
const app = await testApp({
  resources: [{ repository: plants, routes: { bedRoutes } }, { repository: users }],
  database: { ...database, db },
})
const [owner, stranger, admin] = await Promise.all([
  app.newcomer(),
  app.newcomer(),
  app.newcomer({ roles: ['admin'] }),
])
const insert = (rows: readonly NewRowOf<typeof Plant>[]) =>
  app.within(() => plants.asSystem('test').saveMany(rows))
const plant = (name: string, values: Partial<NewRowOf<typeof Plant>> = {}) => ({
  name,
  latin: `${name} officinalis`,
  supplier: 'Nursery',
  owner_id: null,
  ...values,
})

beforeAll(async () => {
  await sql`create table plants (
    id bigint primary key generated always as identity,
    name text not null,
    latin text not null,
    supplier text not null,
    public boolean not null default true,
    owner_id bigint references users
  )`.execute(db)
  await sql`create table beds (id bigint primary key generated always as identity, plant_id bigint)`.execute(
    db,
  )
})
beforeEach(() => sql`truncate plants`.execute(db))

/** Returns the labels that the search finds. */
async function found(by: TestClient, q: string) {
  const { text } = await by.post('/beds/choices', { form: { _find_plant_id: q } })
  const { plant_id } = JSON.parse(text) as { plant_id: { options: { text: string }[] } }
  return plant_id.options.map((option) => option.text)
}

describe('the search of a reference field', () => {
  it('finds each word in the label or in a column of the search', async () => {
    await insert([plant('Sage', { latin: 'Salvia' }), plant('Dill', { latin: 'Anethum' })])
    expect(await found(app.guest, 'sage')).toEqual(['Sage'])
    expect(await found(app.guest, 'ANETH')).toEqual(['Dill'])
    expect(await found(app.guest, 'salv age')).toEqual(['Sage'])
    expect(await found(app.guest, 'sage aneth')).toEqual([])
  })

  it('shows the records with the words in their labels first', async () => {
    const others = Array.from({ length: 30 }, (_, n) => plant(`Aster ${10 + n}`, { latin: 'like a sage' }))
    await insert([...others, plant('Sage')])
    expect((await found(app.guest, 'sage')).slice(0, 2)).toEqual(['Sage', 'Aster 10'])
  })

  it('takes %, _ and \\ literally', async () => {
    await insert([plant('100% Sage'), plant('a_b'), plant('c\\d'), plant('axb cd')])
    expect(await found(app.guest, '%')).toEqual(['100% Sage'])
    expect(await found(app.guest, '_')).toEqual(['a_b'])
    expect(await found(app.guest, '\\')).toEqual(['c\\d'])
  })

  it('searches a field with a rule only for callers who see it in all rows', async () => {
    await insert([plant('Sage', { supplier: 'Secret', owner_id: owner.user.id }), plant('Secretary')])
    const results = await Promise.all(
      [app.guest, stranger, owner, admin].map((caller) => found(caller, 'secret')),
    )
    expect(results).toEqual([['Secretary'], ['Secretary'], ['Secretary'], ['Secretary', 'Sage']])
  })

  it('finds only records that the scope lists', async () => {
    await insert([plant('Sage', { public: false, owner_id: owner.user.id })])
    const results = await Promise.all(
      [app.guest, stranger, owner, admin].map((caller) => found(caller, 'sage')),
    )
    expect(results).toEqual([[], [], ['Sage'], ['Sage']])
  })

  it('uses the indexes that the lists of the other resource use', async () => {
    await sql`insert into plants (name, latin, supplier)
      select md5(n::text), md5((n + 1)::text), 'Nursery' from generate_series(1, 20000) n`.execute(db)
    await insert([plant('zqx')])
    for (const { remedies } of await missingIndexes([{ repository: plants }], db))
      for (const statement of remedies) await sql.raw(statement).execute(db)
    await sql`create index plants_name on plants using gin ((name::text collate "default") gin_trgm_ops)`.execute(
      db,
    )
    await vacuumWhole(db, 'plants')
    sent.length = 0
    expect(await found(app.guest, 'zqx')).toEqual(['zqx'])
    const [plan] = await plansOf(
      database.url,
      sent.filter(({ text }) => text.includes('"plants"')),
      'custom',
    )
    expect(plan?.scans.toSorted()).toEqual([
      'Bitmap Heap Scan',
      'Bitmap Index Scan plants_latin_search',
      'Bitmap Index Scan plants_name',
    ])
  })
})
