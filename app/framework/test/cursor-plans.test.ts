import { type Generated, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CursorRequest, repository, resource, withDatabase } from 'pergola'
import { orderProblems } from 'pergola/database'
import { decodeCursor, encodeCursor } from 'pergola/pagination'
import type { CursorPages } from '../src/lists/cursor-pages.ts'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { vacuumWhole } from './fixtures/vacuum-whole.ts'
import { notes } from './fixtures/note.ts'
import { resources } from './fixtures/resources.ts'

interface OccurrenceTable {
  id: Generated<number>
  at: string
  status: number
  rank: number | null
}

declare module 'pergola' {
  interface Tables {
    occurrences: OccurrenceTable
    'archive.occurrences': OccurrenceTable
  }
}

const ROWS = 1_100_000
const DEEP = 1_000_000

const Occurrence = resource('Occurrence', {
  table: 'occurrences',
  input: z.strictObject({}),
  columns: ['at', 'rank', 'status'],
})
const byDate = repository(Occurrence, { order: '-at' }).asSystem('test')
const byStatus = repository(Occurrence, {
  order: 'status,-at',
}).asSystem('test')
const byRank = repository(Occurrence, {
  order: '-rank nulls last',
}).asSystem('test')

const { db: plain, url } = await testDatabase()
const sent: { text: string; parameters: readonly unknown[] }[] = []
const problems: string[] = []
const db = connectForTests(url, {
  poolSize: 4,
  statementTimeout: 120_000,
  onStatement: (text, parameters) => sent.push({ text, parameters }),
  onMissingIndex: (problem) => problems.push(problem),
})
afterAll(() => db.destroy())

beforeAll(async () => {
  await sql`create unlogged table occurrences (
    id bigint primary key generated always as identity, at timestamptz not null, status integer not null, rank integer)`.execute(
    db,
  )
  await sql`insert into occurrences (at, status, rank)
    select '2020-01-01'::timestamptz + interval '1 s' * (n / 3), n % 5, case when n % 11 = 0 then null else n % 1000 end
    from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db)
  await sql`create index occurrences_at_id on occurrences (at, id)`.execute(db)
  await sql`create index occurrences_status on occurrences (status, at desc, id desc)`.execute(db)
  await sql`create index occurrences_rank on occurrences (rank desc nulls last, id desc)`.execute(db)
  await vacuumWhole(db, 'occurrences')
}, 120_000)

interface Plan {
  'Node Type': string
  'Index Cond'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Returns the plans of the statements that read a page of 20 rows after the row at this depth. */
async function plansAt(list: CursorPages<typeof Occurrence>, order: string, depth: number) {
  const columns = order.replaceAll(/ (asc|desc|nulls last)/g, '')
  const { rows } = await sql<Record<string, string>>`
    select ${sql.raw(columns.replaceAll(/\w+/g, '$&::text'))} from occurrences
    order by ${sql.raw(order)} limit 1 offset ${depth - 1}`.execute(db)
  const { next_cursor } = await withDatabase(db, () => list.cursorPage(new CursorRequest(null, 1)))
  const [version, way, madeFor] = decodeCursor(next_cursor ?? '', z.array(z.unknown())) ?? []
  const cursor = encodeCursor([version, way, madeFor, Object.values(rows[0] ?? {})])
  sent.length = 0
  const page = await withDatabase(db, () =>
    list.cursorPage(new CursorRequest(cursor), { invalidCursor: 'refuse' }),
  )
  expect(page.content).toHaveLength(20)
  return Promise.all([...sent].map(explain))
}

async function explain({
  text,
  parameters,
}: {
  text: string
  parameters: readonly unknown[]
}): Promise<Plan> {
  const parts = text.split(/\$\d+/)
  const query = sql.join(
    parts.flatMap((part, index) =>
      index === 0 ? [sql.raw(part)] : [sql`${parameters[index - 1]}`, sql.raw(part)],
    ),
    sql.raw(''),
  )
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: Plan }]
  }>`explain (analyze, buffers, format json) ${query}`.execute(db)
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (plan === undefined) throw new Error('No plan.')
  return plan
}

const buffersOf = (plans: Plan[]) =>
  plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0)
const typesIn = (plans: Plan[]) => plans.flatMap(nodesOf).map((node) => node['Node Type'])
const conditionsIn = (plans: Plan[]) => plans.flatMap(nodesOf).flatMap((node) => node['Index Cond'] ?? [])

describe('the plan of a cursor page', () => {
  it('is one range of the index by row comparison, with the same cost at every depth', async () => {
    const near = await plansAt(byDate, 'at desc, id desc', 10)
    const deep = await plansAt(byDate, 'at desc, id desc', DEEP)
    for (const plans of [near, deep]) {
      expect(plans).toHaveLength(1)
      expect(conditionsIn(plans)).toEqual([expect.stringMatching(/^\(ROW\(at, id\) < ROW\(/)])
      expect(typesIn(plans)).toEqual(['Limit', 'Index Scan'])
    }
    expect(buffersOf(deep)).toBeLessThanOrEqual(2 * buffersOf(near))
    expect(buffersOf(near)).toBeLessThanOrEqual(2 * buffersOf(deep))
  })

  it.each([
    ['mixed directions', byStatus, 'status asc, at desc, id desc', DEEP],
    ['mixed directions, at the end of one status', byStatus, 'status asc, at desc, id desc', (ROWS / 5) * 4],
    ['a nullable column', byRank, 'rank desc nulls last, id desc', 900_000],
    ['a nullable column, at its last value', byRank, 'rank desc nulls last, id desc', ROWS - ROWS / 11],
    ['a nullable column, within the rows with NULL', byRank, 'rank desc nulls last, id desc', ROWS - 30_000],
  ] as const)('sorts nothing and touches few buffers: %s', async (_what, list, order, depth) => {
    const plans = await plansAt(list, order, depth)
    expect(typesIn(plans).filter((type) => type !== 'Limit' && type !== 'Index Scan')).toEqual([])
    expect(conditionsIn(plans)).toHaveLength(plans.length)
    expect(buffersOf(plans)).toBeLessThan(100)
  })

  it('has no OFFSET', async () => {
    sent.length = 0
    await plansAt(byDate, 'at desc, id desc', 10)
    expect(sent.filter(({ text }) => text.includes('keyset')).map(({ text }) => text)).toEqual([
      expect.not.stringMatching(/offset/i),
      expect.not.stringMatching(/offset/i),
    ])
  })
})

describe('onMissingIndex', () => {
  it('reports nothing for an order with an index, in either direction', async () => {
    const oldestFirst = repository(Occurrence, { order: 'at' }).asSystem('test')
    problems.length = 0
    for (const list of [byDate, byStatus, byRank, oldestFirst])
      await withDatabase(db, () => list.cursorPage(new CursorRequest()))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(problems).toEqual([])
  })

  it('reports the missing index once', async () => {
    const unserved = repository(Occurrence, {
      order: 'rank nulls first,at',
    }).asSystem('test')
    await withDatabase(db, async () => {
      const where = { where: (is) => is('id', '<', 50) } as Parameters<typeof unserved.cursorPage>[1]
      const one = await unserved.cursorPage(new CursorRequest(null, 2), where)
      const two = await unserved.cursorPage(new CursorRequest(one.next_cursor, 2), where)
      await unserved.cursorPage(new CursorRequest(two.prev_cursor, 2), where)
    })
    await expect.poll(() => problems).toHaveLength(1)
    // The pages in both directions are explained at the same time, and one index serves them all.
    expect(problems[0]).toMatch(
      /create index on occurrences \(rank (?:asc nulls first, at asc, id asc|desc nulls last, at desc, id desc)\)/,
    )
  })

  it('reports small tables too, and nothing without onMissingIndex', async () => {
    const byTitle = repository(notes.resource, { order: '-title' }).asSystem('test')
    problems.length = 0
    await withDatabase(plain, () => byTitle.cursorPage(new CursorRequest()))
    await withDatabase(db, () => byTitle.cursorPage(new CursorRequest()))
    await expect.poll(() => problems).toHaveLength(1)
    expect(problems[0]).toContain('create index on notes (title desc, id desc)')
  })

  it('reports nothing for the sample', async () => {
    problems.length = 0
    await withDatabase(db, () => notes.asSystem('test').cursorPage(new CursorRequest()))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(problems).toEqual([])
  })
})

describe('orderProblems', () => {
  const problemsOf = (options: object, db: Parameters<typeof orderProblems>[1] = plain) =>
    orderProblems([{ repository: repository(Occurrence, options as never) }], db)

  it('accepts the sample, columns with declared nulls, and missing tables', async () => {
    expect(await orderProblems(resources, plain)).toEqual([])
    expect(await problemsOf({ order: '-at' })).toEqual([])
    expect(await problemsOf({ order: 'status,-rank nulls last' })).toEqual([])
  })

  it.each([
    ['-rank', '-rank nulls last'],
    ['status,rank', 'rank nulls last'],
  ])('reports the column, the repository and the fixes for %j', async (order, remedy) => {
    const [problem, ...more] = await problemsOf({ order })
    expect(problem).toMatch(/cursor-plans\.test\.ts:\d+: lists of Occurrence are ordered by rank.*not null/)
    expect(problem).toContain(`'${remedy}'`)
    expect(more).toEqual([])
  })

  it('checks tables in other schemas too', async () => {
    await sql`create schema archive`.execute(plain)
    await sql`create table archive.occurrences (id bigint primary key, at timestamptz)`.execute(plain)
    const Archived = resource('ArchivedOccurrence', {
      table: 'archive.occurrences',
      input: z.strictObject({}),
      columns: ['at', 'rank', 'status'],
    })
    const archived = repository(Archived, { order: '-at' })
    expect(await orderProblems([{ repository: archived }], plain)).toHaveLength(1)
  })
})
