import { type GeneratedAlways, type Generated, sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  type Handler,
  inTransaction,
  load,
  policy,
  record,
  repository,
  resource,
  routes,
  scope,
  secured,
} from 'pergola'
import { testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    invoices: {
      id: Generated<number>
      price: string
      quantity: number
      note: string | null
      total: GeneratedAlways<string>
    }
    receipts: {
      id: Generated<number>
      price: string
      quantity: number
      total: GeneratedAlways<string>
      share: GeneratedAlways<number>
    }
  }
}

const price = z.string()
const quantity = z.coerce.number()
const Invoice = resource('Invoice', {
  table: 'invoices',
  input: z.strictObject({ price, quantity, note: z.string().nullable().default(null) }),
  columns: ['total'],
})
const Receipt = resource('Receipt', {
  table: 'receipts',
  input: z.strictObject({ price, quantity }),
  columns: ['total', 'share'],
})

let hook: () => Promise<unknown> = () => Promise.resolve()
afterEach(() => {
  hook = () => Promise.resolve()
})

const open = { canShow: () => true, canCreate: () => true, canUpdate: () => true }
const invoices = repository(Invoice, {
  api: '/api/invoices',
  policy: policy(Invoice, open),
  scope: scope(Invoice, { where: (_ctx, is) => is.lit(true) }),
  hooks: { beforeInsert: () => hook().then(() => {}) },
})
const receipts = repository(Receipt, {
  api: '/api/receipts',
  policy: policy(Receipt, open),
  scope: scope(Receipt, { where: (_ctx, is) => is.lit(true) }),
})

const create: Handler = async (req, res) => {
  const form = await invoices.createFrom(req)
  res.status(form.valid ? 201 : form.status).json(form)
}
const update: Handler = async (req, res) => {
  const form = await invoices.updateFrom(req, record(req, Invoice, 'update'))
  res.status(form.valid ? 200 : form.status).json(form)
}
const creating = [secured(), authorize('create', Invoice)] as const
const invoiceRoutes = routes('/invoices', {
  'POST /': [...creating, create],
  'POST /together': [...creating, (req, res) => inTransaction(async () => create(req, res))],
  'PUT /:id': [secured(), load(Invoice), authorize('update', Invoice), update],
})

const database = await testDatabase()
const app = await testApp({
  database,
  resources: [
    { repository: invoices, routes: { invoiceRoutes } },
    { repository: receipts },
    { repository: users },
  ],
})
const user = await app.newcomer()

beforeAll(async () => {
  await sql`create table invoices (id bigint generated always as identity primary key,
    price numeric(12, 2) not null, quantity integer not null, note text constraint invoices_note check (note <> 'bad'),
    total numeric(12, 2) generated always as (price * quantity) stored)`.execute(database.db)
  await sql`create table receipts (id bigint generated always as identity primary key,
    price numeric(12, 2) not null, quantity integer not null,
    total numeric(12, 2) generated always as (price * quantity) stored,
    share integer generated always as (100 / quantity) stored)`.execute(database.db)
})

const TOO_LARGE = { price: '9999999999.00', quantity: 2 }
const form = { price: '9999999999.00', quantity: '2', note: '' }
const REFUSED = 'This value can’t be computed from this input.'
const stored = () => app.within(() => invoices.asSystem('test').count())

describe('a computed value that does not fit its column', () => {
  it('is a form with the input and an error at the column', async () => {
    const answer = await user.post('/invoices', { form })
    expect([answer.status, answer.json()]).toEqual([
      422,
      expect.objectContaining({
        values: { ...TOO_LARGE, note: null },
        errors: { total: [REFUSED] },
      }),
    ])
    expect(await stored()).toBe(0)
  })

  it('is a form with the input in an update', async () => {
    const { id } = await app.within(() => invoices.asSystem('test').insert({ price: '1', quantity: 1 }))
    const answer = await user.put(`/invoices/${id}`, { form })
    expect([answer.status, answer.json()]).toMatchObject([422, { errors: { total: [REFUSED] } }])
    expect(await app.within(() => invoices.asSystem('test').find(id))).toMatchObject({ total: '1.00' })
  })

  it('is a 422 with the column in the API', async () => {
    const answer = await user.post('/api/invoices', { json: TOO_LARGE })
    const errors = [{ field: 'total', messages: [REFUSED] }]
    expect([answer.status, answer.json()]).toMatchObject([422, { errors }])
  })

  it('names all computed columns, because Postgres names none', async () => {
    const messages = ['One of these values can’t be computed from this input.']
    for (const json of [TOO_LARGE, { price: '1', quantity: 0 }]) {
      const answer = await user.post('/api/receipts', { json })
      expect([answer.status, answer.json()]).toMatchObject([
        422,
        {
          errors: [
            { field: 'total', messages },
            { field: 'share', messages },
          ],
        },
      ])
    }
  })

  it('ends a transaction of the handler', async () => {
    const headers = { accept: 'application/json' }
    const answer = await user.post('/invoices/together', { form, headers })
    const errors = [{ field: '', messages: ['A value does not fit its column.'] }]
    expect([answer.status, answer.json()]).toMatchObject([422, { errors }])
  })
})

describe('a value that only the database rejects', () => {
  it('is an error of the whole form, with the input', async () => {
    const answer = await user.post('/invoices', { form: { price: '1', quantity: '1', note: 'bad' } })
    const errors = { '': ['A value violates a constraint of the database.'] }
    expect([answer.status, answer.json()]).toMatchObject([422, { values: { note: 'bad' }, errors }])
  })

  it('names no computed column if a hook sent it', async () => {
    hook = () => sql`select 'many'::text::int`.execute(database.db)
    const answer = await user.post('/invoices', { form: { price: '1', quantity: '1', note: '' } })
    expect(answer.json()).toMatchObject({ errors: { '': ['A value does not fit its column.'] } })
  })
})
