import { type GeneratedAlways, type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
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
  }
}

const price = z.string()
const quantity = z.coerce.number()
const Invoice = resource('Invoice', {
  table: 'invoices',
  input: z.strictObject({ price, quantity, note: z.string().nullable().default(null) }),
  columns: ['total'],
})
const open = { canShow: () => true, canCreate: () => true, canUpdate: () => true }
const invoices = repository(Invoice, {
  api: '/api/invoices',
  policy: policy(Invoice, open),
  scope: scope(Invoice, { where: (_ctx, is) => is.lit(true) }),
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
  resources: [{ repository: invoices, routes: { invoiceRoutes } }, { repository: users }],
})
const user = await app.newcomer()

beforeAll(async () => {
  await sql`create table invoices (id bigint generated always as identity primary key,
    price numeric(12, 2) not null, quantity integer not null, note text constraint invoices_note check (note <> 'bad'),
    total numeric(12, 2) generated always as (price * quantity) stored)`.execute(database.db)
})

const TOO_LARGE = { price: '9999999999.00', quantity: 2 }
const form = { price: '9999999999.00', quantity: '2', note: '' }
const REFUSED = 'A value does not fit its column.'
const stored = () => app.within(() => invoices.asSystem('test').count())

describe('a computed value that does not fit its column', () => {
  it('is a form with the input and an error above it', async () => {
    const answer = await user.post('/invoices', { form })
    expect([answer.status, answer.json()]).toEqual([
      422,
      expect.objectContaining({
        values: { ...TOO_LARGE, note: null },
        errors: { '': [REFUSED] },
      }),
    ])
    expect(await stored()).toBe(0)
  })

  it('is a form with the input in an update', async () => {
    const { id } = await app.within(() => invoices.asSystem('test').insert({ price: '1', quantity: 1 }))
    const answer = await user.put(`/invoices/${id}`, { form })
    expect([answer.status, answer.json()]).toMatchObject([422, { errors: { '': [REFUSED] } }])
    expect(await app.within(() => invoices.asSystem('test').find(id))).toMatchObject({ total: '1.00' })
  })

  it('is a 422 in the API', async () => {
    const answer = await user.post('/api/invoices', { json: TOO_LARGE })
    const errors = [{ field: '', messages: [REFUSED] }]
    expect([answer.status, answer.json()]).toMatchObject([422, { errors }])
  })

  it('ends a transaction of the handler', async () => {
    const headers = { accept: 'application/json' }
    const answer = await user.post('/invoices/together', { form, headers })
    const errors = [{ field: '', messages: [REFUSED] }]
    expect([answer.status, answer.json()]).toMatchObject([422, { errors }])
  })
})

describe('a value that only the database rejects', () => {
  it('is an error of the whole form, with the input', async () => {
    const answer = await user.post('/invoices', { form: { price: '1', quantity: '1', note: 'bad' } })
    const errors = { '': ['A value violates a constraint of the database.'] }
    expect([answer.status, answer.json()]).toMatchObject([422, { values: { note: 'bad' }, errors }])
  })
})
