import { type ColumnType, type Generated, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { authorizeRecord, field, policy, repository, resource, routes, scope, secured } from 'pergola'
import { fieldRules } from 'pergola/features'
import { testDatabase } from 'pergola/testing'
import { namedValues } from './fixtures/named-values.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

interface CouponTable {
  id: Generated<number>
  slug: string
  amount: number
  pin: ColumnType<string | null, string | null | undefined>
  grade: ColumnType<string | null, string | null | undefined>
}

declare module 'pergola' {
  interface Tables {
    coupons: CouponTable
  }
}

const Coupon = resource('Coupon', {
  table: 'coupons',
  input: z.strictObject({ slug: field.string(), amount: z.number(), grade: field.string().nullable() }),
  hidden: ['pin'],
})
const everyone = () => true
const couponPolicy = policy(
  Coupon,
  { canShow: everyone, canCreate: everyone },
  { fields: fieldRules(Coupon, { grade: { see: (ctx) => ctx.hasRole('admin'), set: everyone } }) },
)
const options = { policy: couponPolicy, scope: scope(Coupon, { where: (_ctx, is) => is.lit(true) }) }
const coupons = repository(Coupon, options)
const hooked = repository(Coupon, { ...options, hooks: { afterInsert: () => {} } })

let drafts: object[] = []
const couponRoutes = routes('/coupons', {
  'POST /': [
    secured(),
    async (req, res) => {
      const all = drafts.map((draft) => authorizeRecord(req, 'create', Coupon, ...namedValues(draft)))
      res.json(await coupons.saveMany(await Promise.all(all)))
    },
  ],
  'POST /copies': [
    secured(),
    async (req, res) => {
      const draft = await authorizeRecord(req, 'create', Coupon, ...namedValues(drafts[0]))
      const errors: string[] = []
      for (const each of [coupons, hooked])
        errors.push(await each.saveMany([draft, { ...draft }]).then(() => '', String))
      res.json(errors)
    },
  ],
})

const database = await testDatabase()
await sql`create table coupons (
  id bigint generated always as identity primary key,
  slug text not null unique,
  amount integer not null check (amount > 0),
  pin text unique,
  grade text unique
)`.execute(database.db)
const app = await testApp({
  database,
  resources: [{ repository: coupons, routes: { couponRoutes } }, { repository: users }],
})
const client = await app.newcomer()

const rows = (at: number, values: object) =>
  Array.from({ length: at + 1 }, (_, n) => ({ slug: `s${n}`, amount: 1, ...(n === at && values) }))
const long = 'x'.repeat(100)
const cases: [string, object[], string][] = [
  ['a taken value', rows(2, { slug: 's0' }), 'row 3, slug = "s0"'],
  ['a taken value in a later statement', rows(1_500, { slug: 's7' }), 'row 1501, slug = "s7"'],
  ['a violated check', rows(3, { amount: -5 }), 'row 4, amount = -5'],
  ['a missing value', rows(1, { amount: null }), 'row 2, amount = null'],
  ['a malformed value', rows(1, { amount: 'many' }), 'row 2, amount = "many"'],
  ['a long value', [...rows(0, { slug: long }), { slug: long, amount: 1 }], `slug = "${'x'.repeat(59)}…)`],
  ['a hidden value', [...rows(0, { pin: 'p-1' }), { slug: 't', amount: 1, pin: 'p-1' }], '(row 2)'],
  ['a value with a rule', [...rows(0, { grade: 'g' }), { slug: 't', amount: 1, grade: 'g' }], '(row 2)'],
]

describe.each([
  ['saveMany', coupons],
  ['saveMany with hooks', hooked],
] as const)('%s', (_name, repo) => {
  it.each(cases.filter(([name]) => repo === coupons || !name.includes('later')))(
    'names the row and the value of %s',
    async (_what, source, message) => {
      const saving = app.within(() => repo.asSystem('test').saveMany(source as never))
      await expect(saving).rejects.toThrow(message)
    },
  )
})

describe('saveMany of drafts', () => {
  it('names the row and the value that is in use', async () => {
    drafts = rows(2, { slug: 's0' })
    const { status, json } = await client.post('/coupons', { headers: { accept: 'application/json' } })
    expect(status).toBe(422)
    expect(json()).toMatchObject({
      errors: [{ field: 'slug', messages: ['This value is already in use (row 3, slug = "s0").'] }],
    })
    drafts = [...rows(0, { grade: 'g' }), { slug: 't', amount: 1, grade: 'g' }]
    const hidden = await client.post('/coupons', { headers: { accept: 'application/json' } })
    expect(hidden.json()).toMatchObject({
      errors: [{ field: 'grade', messages: ['This value is already in use (row 2).'] }],
    })
  })

  it('names the row without a decision', async () => {
    drafts = rows(0, {})
    const { json } = await client.post('/coupons/copies')
    const error = expect.stringContaining("Row 2: 'create' was not authorized on this Coupon") as unknown
    expect(json()).toEqual([error, error])
  })
})

describe('upsertMany', async () => {
  const all = coupons.asSystem('test')
  const [one = 0, two = 0] = await app.within(() =>
    all.saveMany([
      { slug: 'kept 1', amount: 1 },
      { slug: 'kept 2', amount: 1 },
    ]),
  )
  const upsert = (values: object, columns: readonly string[]) =>
    app.within(() =>
      all.upsertMany(
        [
          { id: one, slug: 'new', amount: 2 },
          { id: two, ...values },
        ] as never,
        {
          columns: columns as never,
        },
      ),
    )

  it.each<[string, object, string]>([
    ['a taken value', { slug: 'new', amount: 2 }, 'slug = "new"'],
    ['a violated check', { slug: 'other', amount: -5 }, 'amount = -5'],
    ['a malformed value', { slug: 'other', amount: 'many' }, 'amount = "many"'],
  ])('names the id and the value of %s', async (_name, values, message) => {
    await expect(upsert(values, ['slug', 'amount'])).rejects.toThrow(`(id ${two}, ${message})`)
  })

  it('names the row that lacks a column', async () => {
    await expect(upsert({ slug: 'other' }, ['slug', 'amount'])).rejects.toThrow(
      `Coupon ${two} has no 'amount'`,
    )
    await expect(upsert({ id: undefined }, ['slug'])).rejects.toThrow("Row 2 of Coupon has no 'id'")
  })
})
