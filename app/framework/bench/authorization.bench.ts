import { type Generated, sql } from 'kysely'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { field, inScope, lookup, policy, type PolicyContext, repository, resource, scope } from 'pergola'
import { fieldRules } from 'pergola/features'
import { testDatabase } from 'pergola/testing'
import { testApp } from '../test/fixtures/test-app.ts'
import { users } from '../test/fixtures/user.ts'
import { takingTurns } from './measure.ts'

interface StaffTable {
  id: Generated<number>
  name: string
  salary: number
  remark: string
}

declare module 'pergola' {
  interface Tables {
    plain_staff: StaffTable
    field_staff: StaffTable
    member_staff: StaffTable
    scope_staff: StaffTable
  }
}

const ROUNDS = 900

const shape = { name: field.string(), salary: field.integer(), remark: field.string() }
const input = z.strictObject(shape)
const PlainStaff = resource('PlainStaff', { table: 'plain_staff', input })
const FieldStaff = resource('FieldStaff', { table: 'field_staff', input })
const MemberStaff = resource('MemberStaff', { table: 'member_staff', input })
const ScopeStaff = resource('ScopeStaff', { table: 'scope_staff', input })

const allowed = () => true
const isMember = lookup((_db, ids: readonly number[]) =>
  Promise.resolve(new Map(ids.map((id) => [id, true]))),
)
const byLookup = async (ctx: PolicyContext, { id }: { id: number }) => (await isMember(ctx, id)) === true
const isAdmin = (ctx: PolicyContext) => ctx.hasRole('admin')

const everything = { canShow: allowed, canUpdate: allowed }
const plain = repository(PlainStaff, {
  policy: policy(PlainStaff, everything),
  scope: scope(PlainStaff, { where: (_ctx, is) => is.lit(true) }),
  api: '/api/plain',
  apiReading: 'public',
})
const fields = repository(FieldStaff, {
  policy: policy(FieldStaff, everything, {
    fields: fieldRules(FieldStaff, {
      salary: { see: isAdmin },
      remark: { see: (ctx, staff) => isAdmin(ctx) || staff.id < 0 },
    }),
  }),
  scope: scope(FieldStaff, { where: (_ctx, is) => is.lit(true) }),
  api: '/api/fields',
})
const members = repository(MemberStaff, {
  policy: policy(MemberStaff, { canShow: byLookup, canUpdate: byLookup }),
  scope: scope(MemberStaff, { where: (_ctx, is) => is.lit(true) }),
  api: '/api/members',
})

const scoped = repository(ScopeStaff, {
  policy: policy(ScopeStaff, { canShow: inScope(), canUpdate: inScope() }),
  scope: scope(ScopeStaff, { where: (_ctx, is) => is('id', '>', 0) }),
  api: '/api/scoped',
})

const testDb = await testDatabase()
const app = await testApp({
  database: testDb,
  resources: [
    { repository: plain },
    { repository: fields },
    { repository: members },
    { repository: scoped },
    { repository: users },
  ],
})
const caller = await app.newcomer()
for (const table of ['plain_staff', 'field_staff', 'member_staff', 'scope_staff']) {
  await sql`create table ${sql.table(table)} (id bigint generated always as identity primary key,
    name text not null, salary integer not null, remark text not null)`.execute(testDb.db)
  await sql`insert into ${sql.table(table)} (name, salary, remark)
    select 'Name ' || n, n, 'Remark ' || n from generate_series(1, 100) n`.execute(testDb.db)
}

const get = (path: string) => async () => expect((await caller.get(path)).status).toBe(200)
let salary = 0
const put = (path: string) => async () =>
  expect((await caller.put(path, { json: { salary: salary++ } })).status).toBe(200)

const COSTS = [
  ['GET a record: field rules', get('/api/plain/7'), get('/api/fields/7')],
  ['GET a record: a lookup', get('/api/plain/7'), get('/api/members/7')],
  ['GET a record: inScope', get('/api/plain/7'), get('/api/scoped/7')],
  ['GET 20 records: field rules', get('/api/plain'), get('/api/fields')],
  ['PUT: deciding again in a transaction', put('/api/plain/7'), put('/api/members/7')],
  ['PUT: inScope, which decides again', put('/api/plain/7'), put('/api/scoped/7')],
] as const

it(`times ${ROUNDS} requests with and without each part of authorization, taking turns`, async () => {
  const report: Record<string, object> = {}
  for (const [name, without, having] of COSTS) {
    const [before = 0, after = 0] = await takingTurns(ROUNDS, [without, having])
    expect(before).toBeGreaterThan(0)
    report[name] = {
      'without, median ms': before.toFixed(2),
      'with, median ms': after.toFixed(2),
      ratio: (after / before).toFixed(3),
    }
  }
  // oxlint-disable-next-line no-console
  console.table(report)
})
