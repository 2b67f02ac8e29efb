import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { missingIndexes } from 'pergola/database'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { plansOf, type Sent } from './fixtures/executed-plans.ts'
import { createTenantTables, groves, makeMember, tenantOf, trees } from './fixtures/tenants.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'
import { vacuumWhole } from './fixtures/vacuum-whole.ts'

const database = await testDatabase()
await createTenantTables(database.db)
const sent: Sent[] = []
const db = connectForTests(database.url, {
  statementTimeout: 30_000,
  onStatement: (text, parameters) => sent.push({ text, parameters }),
})
afterAll(() => db.destroy())
const resources = [{ repository: trees }, { repository: groves }, { repository: users }]
const app = await testApp({ database: { ...database, db }, resources, tenantOf })
const member = await app.within(() => makeMember(7))
const client = await app.signInAs(member.email)

beforeAll(async () => {
  await sql`insert into trees (account_id, owner_id, name, slug)
    select n % 50, ${member.id}, 'Tree ' || n % 1000, 'tree-' || n from generate_series(1, 20000) n`.execute(
    db,
  )
  await vacuumWhole(db, 'trees')
})

/** Sends a request and returns its statements about trees. */
async function statementsOf(send: () => Promise<{ status: number; text: string }>): Promise<Sent[]> {
  sent.length = 0
  const { status } = await send()
  expect([200, 204]).toContain(status)
  return sent.filter((statement) => statement.text.includes('"trees"'))
}

it.each([
  ['a page', '/api/trees'],
  ['a later page', '/api/trees?page=9'],
  ['an order', '/api/trees?sort=name'],
  ['a cursor', '/api/trees?cursor='],
  ['a filter', '/api/trees?slug=tree-107'],
  ['a search', '/api/trees?q=tree'],
])('%s reads only rows of the tenant, by an index that begins with it', async (_, path) => {
  for (const mode of ['custom', 'generic'] as const) {
    const statements = await statementsOf(() => client.get(path))
    expect(statements.length).toBeGreaterThan(0)
    for (const { text } of statements) expect(text).toMatch(/"trees"\."account_id" = \$\d/)
    const scans = (await plansOf(database.url, statements, mode)).flatMap((plan) => plan.scans)
    expect(scans.filter((scan) => !/Heap Scan$|trees_(?:pkey|\w+_sort|slug_unique)$/.test(scan))).toEqual([])
  }
})

it('a record is read and written by the key that begins with the tenant', async () => {
  const { content } = (await client.get('/api/trees?size=1')).json() as { content: { id: number }[] }
  const path = `/api/trees/${content[0]?.id}`
  const headers = { 'If-Match': '"1"' }
  for (const send of [
    () => client.get(path),
    () => client.put(path, { headers, json: { name: 'Renamed' } }),
    () => client.delete(path, { headers: { 'If-Match': '"2"' } }),
  ])
    for (const { text } of await statementsOf(send)) expect(text).toContain('"trees"."account_id" = $')
  const [load] = await statementsOf(() => app.guest.get('/api/trees'))
  expect(load?.text).toContain('false')
})

it('missingIndexes expects the tenant as the first column of each order', async () => {
  const missing = async () =>
    (await missingIndexes([{ repository: trees }], db)).flatMap((one) => one.remedies)
  const isSort = (statement: string) => statement.includes('_sort')
  expect((await missing()).filter(isSort)).toEqual([])
  await sql`drop index trees_name_sort`.execute(db)
  await sql`create index one on trees (name, id)`.execute(db)
  expect((await missing()).filter(isSort)).toEqual([
    'create index concurrently trees_name_sort on trees using btree (account_id, name, id) where deleted_at is null',
  ])
})
