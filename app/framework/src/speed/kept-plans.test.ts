import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contextOf, inTransaction, listQuery, PageRequest, type Role, withDatabase } from 'pergola'
import { registryOfResources } from 'pergola/app'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from '../../test/fixtures/note.ts'
import { resources } from '../../test/fixtures/resources.ts'
import { makeUser } from '../../test/fixtures/user.ts'
import { loadRow } from '../rows/rows.ts'
import { CursorRequest } from '../pagination/cursor-request.ts'

const { url } = await testDatabase()
/** One connection, whose prepared statements the tests read. */
const db = connectForTests(url, { poolSize: 1 })
afterAll(() => db.destroy())
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)

const registry = registryOfResources(resources)
let author = 0
let note = 0
beforeAll(async () => {
  await within(async () => {
    author = (await makeUser()).id
    note = (await makeNote({ author_id: author })).id
  })
  // Enough rows for Postgres to use an index.
  await sql`insert into notes (title, body, published, author_id)
    select 'Title ' || n, 'Body', n % 2 = 0, ${author} from generate_series(1, 5000) as n`.execute(db)
  await sql`analyze notes`.execute(db)
})
const reader = (userId: number | null, roles: readonly Role[] = []) => {
  const session = userId === null ? null : { id: 's', userId, name: 'User', roles }
  return notes.visibleTo(contextOf(session, { registry }))
}

/** Reads ten times. Returns how often Postgres planned one of the statements, and how often it used a kept plan. */
async function plansOf(read: () => Promise<unknown>) {
  const counted = async () => {
    const { rows } = await sql<{ name: string; planned: string; kept: string }>`
      select name, custom_plans as planned, generic_plans as kept
      from pg_prepared_statements where statement like '%"notes"%'`.execute(db)
    return new Map(rows.map(({ name, planned, kept }) => [name, [Number(planned), Number(kept)]]))
  }
  const before = await counted()
  for (let n = 0; n < 10; n++) await within(read)
  const used = [...(await counted())].map(([name, [planned = 0, kept = 0]]) => {
    const [plannedBefore = 0, keptBefore = 0] = before.get(name) ?? []
    return { planned: planned - plannedBefore, kept: kept - keptBefore }
  })
  const most = (count: 'planned' | 'kept') => Math.max(0, ...used.map((each) => each[count]))
  return { planned: most('planned'), kept: most('kept') }
}

const searchFor = (q: string) => listQuery({ originalUrl: `/notes?q=${q}` }, Note)

const callers = [
  ['a guest', null, []],
  ['an admin, who sees all', 1, ['admin']],
] as const

// The first two executions have no name. Postgres plans the next five, and then compares the costs. Without values, it
// plans one.
describe('Postgres keeps the plan', () => {
  it.each([1, 2, 3, 8])('of %i rows by their keys', async (count) => {
    const keys = Array.from({ length: count }, (_, index) => note + index)
    const plans = await plansOf(() => Promise.all(keys.map((key) => loadRow(Note, key))))
    expect(plans).toEqual({ planned: 5, kept: 3 })
  })

  it.each(callers)('of the first cursor page for %s', async (_caller, id, roles) => {
    const plans = await plansOf(() => reader(id, roles).cursorPage(new CursorRequest()))
    expect(plans).toEqual({ planned: 0, kept: 8 })
  })

  it.each(callers)('of the first five pages for %s', async (_caller, id, roles) => {
    for (const page of [1, 2, 5]) {
      const plans = await plansOf(() => reader(id, roles).page(new PageRequest(page)))
      expect(plans).toEqual({ planned: 0, kept: 8 })
    }
  })
})

describe('Postgres plans each time', () => {
  it.each([
    ['a size that the client chooses', null, new PageRequest(1, 7)],
    ['a later page', null, new PageRequest(6)],
    ['a user, who may have more rows than others', 1, new PageRequest()],
  ])('for %s', async (_case, id, request) => {
    const { kept } = await plansOf(() => reader(id).page(request))
    expect(kept).toBe(0)
  })

  // A plan for any word would read the whole trigram index for a word of one letter, and the whole table for a rare one.
  it.each<[string, (q: string) => Promise<unknown>]>([
    ['a search', (q) => reader(null).page(new PageRequest(), { query: searchFor(q) })],
    [
      'a capped search',
      (q) => reader(1).page(new PageRequest(2), { query: searchFor(q), count: { cap: 50 } }),
    ],
    ['a search by cursor', (q) => reader(null).cursorPage(new CursorRequest(), { query: searchFor(q) })],
    [
      'a search in a transaction',
      (q) => inTransaction(() => reader(null).page(new PageRequest(), { query: searchFor(q) })),
    ],
    ['a pattern', (q) => reader(null).findAll({ where: (is) => is('title', 'ilike', `%${q}%`) })],
  ])('for %s', async (_case, read) => {
    for (const q of ['t', 'the', 'ti', 'body', 'title 4711', 'absent']) {
      const { kept } = await plansOf(() => read(q))
      expect({ q, kept }).toEqual({ q, kept: 0 })
    }
  })
})

describe('a comparison with a literal', () => {
  it('is that of a parameter, for columns of each type', async () => {
    const rows = await db
      .selectFrom(
        sql<Compared>`(values ('{"flag":true}'::jsonb, true, 'true', null::text))`.as<'v'>(
          sql`v(data, done, word, nothing)`,
        ),
      )
      .selectAll()
      .where((is) => is(is.ref('data', '->').key('flag'), '=', true as never))
      .where('done', '=', true)
      .where('done', '!=', false)
      .where('word', '=', true as never)
      .execute()
    expect(rows).toHaveLength(1)
    const none = db.selectFrom('notes').select('id').where('author_id', '=', null).limit(1)
    expect(none.compile().sql).toContain('= null')
    expect(await none.execute()).toEqual([])
  })
})

interface Compared {
  data: { flag: boolean }
  done: boolean
  word: string
  nothing: string | null
}
