import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingIndexes } from 'pergola/database'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { type Plan, plansOf, type Sent } from './fixtures/executed-plans.ts'
import { notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { vacuumWhole } from './fixtures/vacuum-whole.ts'

// The plans of a larger table, in app/framework: ROWS=1000000 npx vitest run list-plans
const ROWS = Number(process.env['ROWS'] ?? 20_000)

const database = await testDatabase()
const sent: Sent[] = []
const db = connectForTests(database.url, {
  statementTimeout: 3_000_000,
  onStatement: (text, parameters) => sent.push({ text, parameters }),
})
afterAll(() => db.destroy())
const app = await testApp({ database: { ...database, db } })
const [author, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])
const callers = { guest: app.guest, author, admin }

beforeAll(async () => {
  // Postgres has no statistics about texts over 1 kB.
  await sql`insert into notes (title, body, published, author_id, created_at)
    select 'Note ' || md5(n::text) || case n when 1000 then ' zqx' else '' end, repeat(md5((n + 1)::text) || ' ', 34), n % 3 <> 0,
      ${author.user.id}, timestamptz '2020-01-01Z' + n * interval '1 minute'
    from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db)
  for (const { remedies } of await missingIndexes([{ repository: notes }], db))
    for (const statement of remedies) await sql.raw(statement).execute(db)
  await vacuumWhole(db, 'notes')
}, 3_600_000)

/** Returns the plans of the list's statements for a path. */
async function plansFor(path: string, caller: keyof typeof callers, mode: 'custom' | 'generic' = 'custom') {
  sent.length = 0
  expect((await callers[caller].get(path)).status).toBe(200)
  const statements = sent.filter(({ text }) => text.includes('/* list */') && text.includes('"notes"'))
  return plansOf(database.url, statements, mode)
}

const millisecondsOf = new Map<string, number>()
afterAll(() => {
  // oxlint-disable-next-line no-console
  if (process.env['ROWS'] !== undefined) console.table(Object.fromEntries(millisecondsOf))
})

const CALLERS = ['guest', 'author', 'admin'] as const
const SEARCH = [
  'Bitmap Heap Scan',
  'Bitmap Index Scan notes_body_search',
  'Bitmap Index Scan notes_title_search',
]
const scansOf = (plans: readonly Plan[]) => [...new Set(plans.flatMap(({ scans }) => scans))].toSorted()

const PATHS = [
  '/notes?',
  '/notes?sort=title&',
  '/notes?sort=title&dir=desc&',
  '/api/notes?',
  '/api/notes?cursor=&',
]

describe('a search for a word that no row contains', () => {
  describe.each(CALLERS)('by the role %s', (caller) => {
    it.each(PATHS)('reads only the indexes of the search: %s', { timeout: 600_000 }, async (path) => {
      for (const mode of ['custom', 'generic'] as const) {
        for (const words of ['zzzz', 'zqy', 'zz%25_zz', 'zzz%5Czzz', 'note+zzzz']) {
          const plans = await plansFor(`${path}q=${words}`, caller, mode)
          const name = `${caller} ${path}q=${words} (${mode})`
          millisecondsOf.set(
            name,
            plans.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
          )
          expect({ name, scans: scansOf(plans) }).toEqual({ name, scans: SEARCH })
          expect(Math.max(...plans.map(({ buffers }) => buffers))).toBeLessThan(200 + ROWS / 1_000)
        }
      }
    })
  })
})

describe('a search for a word in a single row', () => {
  it('reads the rows that the indexes find', { timeout: 600_000 }, async () => {
    // Without statistics, Postgres expects more rows with a short word.
    for (const path of PATHS) {
      for (const mode of ['custom', 'generic'] as const) {
        const plans = await plansFor(`${path}q=zqx`, 'admin', mode)
        expect({ path, mode, count: plans.length, scans: scansOf(plans) }).toEqual({
          path,
          mode,
          count: 2,
          scans: SEARCH,
        })
      }
    }
  })
})

describe('an order', () => {
  it.each([
    ['sort=title&dir=asc', 'Index Scan notes_title_sort'],
    ['sort=title&dir=desc', 'Index Scan notes_title_sort'],
    ['sort=created_at&dir=asc', 'Index Scan notes_created_at_id'],
    ['sort=created_at&dir=desc', 'Index Scan notes_created_at_id'],
  ])('reads a page in the order of an index: %s', { timeout: 600_000 }, async (query, scan) => {
    for (const caller of CALLERS) {
      for (const mode of ['custom', 'generic'] as const) {
        for (const path of ['/notes?', '/api/notes?cursor=&']) {
          const [page] = await plansFor(path + query, caller, mode)
          expect([caller, page?.scans, page?.sorts]).toEqual([caller, [scan], false])
          expect(page?.buffers).toBeLessThan(200)
        }
      }
    }
  })
})

describe('a filter', () => {
  // The scope of a guest excludes drafts.
  it.each(['published=false', 'author_id=999999', 'title=absent'])(
    'that finds nothing reads only its index: %s',
    { timeout: 600_000 },
    async (query) => {
      for (const path of PATHS) {
        const plans = await plansFor(path + query, 'guest')
        const buffers = plans.map((plan) => plan.buffers)
        expect({ path, isBounded: Math.max(...buffers) < 20 }).toEqual({ path, isBounded: true })
        expect(scansOf(plans).join()).not.toContain('Seq Scan')
      }
    },
  )
})
