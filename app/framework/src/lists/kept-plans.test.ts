import { type ExpressionBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  connect,
  contextOf,
  PageRequest,
  readColumns,
  registryOfResources,
  type Tables,
  withDatabase,
} from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from '../../test/fixtures/note.ts'
import { resources } from '../../test/fixtures/resources.ts'
import { makeUser } from '../../test/fixtures/user.ts'
import { loadRow } from '../database/rows.ts'
import { CursorRequest } from '../pagination/cursor-request.ts'

const { url } = await testDatabase()
/** One connection, whose prepared statements the tests read. */
const db = connect({
  url,
  poolSize: 1,
  maxWaiting: 200,
  connectTimeout: 2_000,
  statementTimeout: 5_000,
  lockTimeout: 2_000,
  onConnectionError: () => {},
})
afterAll(() => db.destroy())
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)

const registry = registryOfResources(resources)
let author = 0
let note = 0
beforeAll(async () => {
  await readColumns(resources, db, null)
  await within(async () => {
    author = (await makeUser()).id
    note = (await makeNote({ author_id: author })).id
  })
  // Enough rows for Postgres to use an index.
  await sql`insert into notes (title, body, published, author_id)
    select 'Title ' || n, 'Body', n % 2 = 0, ${author} from generate_series(1, 5000) as n`.execute(db)
  await sql`analyze notes`.execute(db)
})
type Conditions = ExpressionBuilder<Tables, 'notes'>
const list = () =>
  notes.visibleTo(contextOf({ id: 's', userId: author, name: 'User', roles: [] }, { registry }))

/** Reads ten times. Returns how often Postgres planned the statements, without their first five executions. */
async function laterPlans(read: () => Promise<unknown>): Promise<number> {
  const planned = async () => {
    const { rows } = await sql<{ name: string; plans: string }>`
      select name, custom_plans as plans from pg_prepared_statements where statement like '%"notes"%'`.execute(
      db,
    )
    return new Map(rows.map(({ name, plans }) => [name, Number(plans)]))
  }
  const before = await planned()
  // Postgres plans each statement five times before it compares the costs. The first two executions have no name.
  for (let n = 0; n < 10; n++) await within(read)
  const after = await planned()
  const plans = [...after].map(([name, count]) => count - (before.get(name) ?? 0))
  return Math.max(...plans)
}

describe('Postgres plans a statement at most five times', () => {
  it.each([1, 2, 3, 8])('for %i rows by their keys', async (count) => {
    const keys = Array.from({ length: count }, (_, index) => note + index)
    expect(await laterPlans(() => Promise.all(keys.map((key) => loadRow(Note, key))))).toBe(5)
  })

  it('for the first cursor page', async () => {
    expect(await laterPlans(() => list().cursorPage(new CursorRequest()))).toBe(5)
  })

  it.each([1, 2, 5])('for page %i', async (page) => {
    expect(await laterPlans(() => list().page(new PageRequest(page)))).toBe(5)
  })
})

describe('Postgres plans a statement each time', () => {
  it.each([
    ['a size that the client chooses', new PageRequest(1, 7)],
    ['a later page', new PageRequest(6)],
  ])('for %s', async (_case, request) => {
    expect(await laterPlans(() => list().page(request))).toBeGreaterThan(5)
  })

  it('for a condition with a value of its own', async () => {
    const others = { where: (is: Conditions) => is('title', '!=', 'no such title') }
    expect(await laterPlans(() => list().page(new PageRequest(), others))).toBeGreaterThan(5)
  })
})
