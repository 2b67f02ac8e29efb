import { type Generated, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, filter, policy, repository, resource, scope } from 'pergola'
import { type JoinedIds, joinTable } from 'pergola/features'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { plansOf, type Sent } from './fixtures/executed-plans.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'
import { vacuumWhole } from './fixtures/vacuum-whole.ts'

// The plans of larger tables, in app/framework: ROWS=100000 npx vitest run join-plans
const ROWS = Number(process.env['ROWS'] ?? 50_000)

declare module 'pergola' {
  interface Tables {
    marks: { id: Generated<number>; name: string; secret: Generated<boolean> }
    letters: {
      id: Generated<number>
      title: string
      mark_ids: JoinedIds
      all_mark_ids: JoinedIds
      ordered_mark_ids: JoinedIds
      created_at: Generated<string>
      version: Generated<number>
    }
    letter_marks: { letter_id: number; mark_id: number; position: number }
  }
}

const Mark = resource('Mark', {
  table: 'marks',
  input: z.strictObject({ name: field.string(), secret: field.boolean() }),
})
const pair = { own: 'letter_id', other: 'mark_id' } as const
const joins = joinTable('letter_marks', pair)
const Letter = resource('Letter', {
  table: 'letters',
  input: z.strictObject({
    title: field.string(),
    mark_ids: field.references().default([]),
    all_mark_ids: field.references().default([]),
    ordered_mark_ids: field.references().default([]),
  }),
  columns: ['created_at'],
  references: { mark_ids: Mark, all_mark_ids: Mark, ordered_mark_ids: Mark },
  joins: {
    mark_ids: joins,
    all_mark_ids: joins,
    ordered_mark_ids: joinTable('letter_marks', { ...pair, position: 'position' }),
  },
  filters: { mark_ids: filter.several(field.reference()), all_mark_ids: filter.all(field.reference()) },
  version: true,
})
const letters = repository(Letter, {
  api: '/api/letters',
  policy: policy(Letter, { canShow: () => true }),
  scope: scope(Letter, { where: (_ctx, is) => is.lit(true) }),
  apiCount: 'none',
})
const marks = repository(Mark, {
  policy: policy(Mark, { canShow: () => true }),
  scope: scope(Mark, {
    where: (ctx, is) => (ctx.hasRole('admin') ? is.lit(true) : is('secret', '=', false)),
  }),
})

const database = await testDatabase()
const sent: Sent[] = []
const db = connectForTests(database.url, {
  statementTimeout: 60_000,
  onStatement: (text, parameters) => sent.push({ text, parameters }),
})
afterAll(() => db.destroy())
const resources = [{ repository: letters }, { repository: marks }, { repository: users }]
const app = await testApp({ database: { ...database, db }, resources })
const [member, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])
const callers = { member, admin }

/** Mark 1 is on every second letter, marks 2 and 3 on one of a hundred, and the others on a few. Each tenth is secret. */
beforeAll(async () => {
  for (const statement of [
    'create table marks (id bigint primary key, name text not null, secret boolean not null)',
    `create table letters (id bigint generated always as identity primary key, title text not null,
      created_at timestamptz not null, version integer not null default 1)`,
    `create table letter_marks (letter_id bigint not null, mark_id bigint not null, position integer not null,
      primary key (letter_id, mark_id))`,
    "insert into marks select n, 'Mark ' || n, n % 10 = 0 from generate_series(1, 1000) n",
    `insert into letters (title, created_at) select 'Letter ' || n, timestamptz '2020-01-01Z' + n * interval '1 minute'
      from generate_series(1, ${ROWS}) n`,
    `insert into letter_marks select id, mark, 1000 - mark from letters cross join lateral (values
      (case when id % 2 = 0 then 1 end), (case when id % 100 < 2 then 2 end), (case when id % 100 = 1 then 3 end),
      (4 + id * 7919 % 997)) as given (mark) where mark is not null`,
    'create index on letter_marks (mark_id, letter_id)',
    'create index letter_marks_position on letter_marks (letter_id, position, mark_id)',
    'create index on letters (created_at, id)',
  ])
    await sql.raw(statement).execute(db)
  await vacuumWhole(db, 'letters')
  await vacuumWhole(db, 'letter_marks')
  await vacuumWhole(db, 'marks')
}, 600_000)

describe.each(['member', 'admin'] as const)('the list of letters of a %s', (caller) => {
  it.each([
    ['the first page', '', 20],
    ['a page with marks of every second letter', '?mark_ids=1', 20],
    ['a page with marks of a few letters', '?mark_ids=501', 20],
    ['a page with one of several marks', '?mark_ids=502&mark_ids=501', 20],
    ['a page with all of several marks', '?all_mark_ids=2&all_mark_ids=3', 20],
    ['a page with all marks, one of which is unused', '?all_mark_ids=1&all_mark_ids=5000', 0],
  ])('%s is read by indexes alone', async (_, query, size) => {
    sent.length = 0
    const answer = await callers[caller].get(`/api/letters${query}`)
    expect((answer.json() as { content: unknown[] }).content).toHaveLength(size)
    const statements = sent.filter(({ text }) => text.includes('"letters"'))
    expect(statements.length).toBeGreaterThan(0)
    for (const mode of ['custom', 'generic'] as const)
      for (const { scans } of await plansOf(database.url, statements.slice(-1), mode)) {
        expect(scans.filter((scan) => !/^Index (?:Only )?Scan/.test(scan))).toEqual([])
        // The index contains the ordered list.
        expect(scans.includes('Index Only Scan letter_marks_position')).toBe(size > 0)
      }
  })
})
