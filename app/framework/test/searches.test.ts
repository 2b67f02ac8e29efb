import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  CursorRequest,
  field,
  inTransaction,
  listQuery,
  PageRequest,
  policy,
  publicRoute,
  referenceChoices,
  repository,
  resource,
  routes,
  scope,
  withDatabase,
} from 'pergola'
import { limitSearches } from 'pergola/database'
import { decodeCursor, encodeCursor } from 'pergola/pagination'
import { connectForTests } from 'pergola/lab'
import { type Answer, lockTable, lockWait, testDatabase } from 'pergola/testing'
import { notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

interface TopicTable {
  id: Generated<number>
  name: string
}

declare module 'pergola' {
  interface Tables {
    topics: TopicTable
    items: { id: Generated<number>; topic_id: number }
  }
  interface Policies {
    Topic: typeof topicPolicy
  }
}

const Topic = resource('Topic', {
  table: 'topics',
  input: z.strictObject({}),
  columns: ['name'],
  search: ['name'],
})
const topicPolicy = policy(Topic, { canShow: () => true })
const topicScope = scope(Topic, { where: (_ctx, is) => is.lit(true) })
const topics = repository(Topic, {
  api: '/api/topics',
  policy: topicPolicy,
  scope: topicScope,
})

const Item = resource('Item', {
  table: 'items',
  input: z.strictObject({ topic_id: field.reference() }),
  references: { topic_id: Topic },
})
const itemRoutes = routes('/items', {
  'POST /choices': [
    publicRoute(),
    async (req, res) => void res.json(await referenceChoices(req, Item, { values: {}, errors: {} })),
  ],
})

const POOL = 4
const database = await testDatabase()
const statements: string[] = []
const pool = (searchTimeout: number) => {
  const db = connectForTests(database.url, {
    poolSize: POOL,
    statementTimeout: 60_000,
    lockTimeout: 60_000,
    onStatement: (text) => statements.push(text),
  })
  limitSearches(db, { poolSize: POOL, statementTimeout: searchTimeout })
  afterAll(() => db.destroy())
  return db
}
const resources = [
  { repository: topics, routes: { itemRoutes } },
  { repository: notes },
  { repository: users },
]
const db = pool(60_000)
const lines: Record<string, unknown>[] = []
const log = pino(
  { level: 'info' },
  { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
)
const app = await testApp({ resources, database: { ...database, db }, log })
const hasty = await testApp({ resources, database: { ...database, db: pool(50) }, log })

beforeAll(async () => {
  await sql`create table topics (id bigint primary key generated always as identity, name text not null)`.execute(
    database.db,
  )
  await sql`insert into topics (name) values ('Gardens'), ('Pergolas')`.execute(database.db)
})
afterEach(() => void (statements.length = lines.length = 0))

/** Makes each search of topics wait. Returns a function that lets them continue. */
async function holdSearches() {
  let release: (() => Promise<void>) | undefined = await lockTable(database.db, 'topics')
  const end = async () => {
    const last = release
    release = undefined
    await last?.()
  }
  onTestFinished(end)
  return end
}

const problemOf = ({ status, headers, json }: Answer) => ({
  status,
  retryAfter: headers.get('retry-after'),
  detail: (json() as { detail?: string }).detail,
})

describe('searches that take long', () => {
  it('leave the other connections to other requests', async () => {
    const release = await holdSearches()
    const answers: Answer[] = []
    const searches = Array.from({ length: 2 * POOL }, async () => {
      answers.push(await app.guest.get('/api/topics?q=absent'))
    })
    // One search runs. The others have waited and were refused.
    await expect.poll(() => answers.length, { timeout: 10_000 }).toBe(2 * POOL - 1)
    await lockWait(database.db, 1)
    const others = await Promise.all(Array.from({ length: 3 * POOL }, () => app.guest.get('/api/notes')))
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
    await lockWait(database.db, 1)
    await release()
    await Promise.all(searches)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeLessThan(2 * POOL)
    for (const answer of refused)
      expect(problemOf(answer)).toEqual({
        status: 503,
        retryAfter: '1',
        detail: 'Too many searches are running. Try again in a moment.',
      })
  })

  it('of guests leave a connection to the searches of a signed-in user', async () => {
    const alice = await app.newcomer()
    const release = await holdSearches()
    const ofGuests = Array.from({ length: 2 * POOL }, () => app.guest.get('/api/topics?q=absent'))
    const first = await Promise.race(ofGuests)
    expect(first.status).toBe(503)
    const ofAlice = alice.get('/api/topics?q=garden')
    // One of the guests, and that of Alice.
    await lockWait(database.db, 2)
    await release()
    expect((await ofAlice).json()).toMatchObject({ content: [{ name: 'Gardens' }] })
    await Promise.all(ofGuests)
  })

  it('leave a warning without a stack in the log', async () => {
    await holdSearches()
    expect((await hasty.guest.get('/api/topics?q=absent')).status).toBe(503)
    await expect.poll(() => lines).toHaveLength(1)
    expect(lines).toMatchObject([
      {
        level: 40,
        msg: 'request refused',
        req: { path: '/api/topics' },
        res: { status: 503 },
        reason: 'This search takes too long. Search for longer words, or for more of them.',
      },
    ])
    expect(lines[0]).not.toHaveProperty('err')
  })

  const timeouts = () =>
    Promise.all(
      Array.from({ length: POOL }, async () => {
        const { rows } = await sql`select current_setting('statement_timeout'), pg_sleep(0.01)`.execute(
          hasty.db,
        )
        return rows[0]
      }),
    )

  it('end with a 503 after their own timeout, which other statements don’t have', async () => {
    const before = await timeouts()
    const release = await holdSearches()
    for (const path of ['/api/topics?q=absent', '/api/topics?q=absent&cursor='])
      expect(problemOf(await hasty.guest.get(path))).toEqual({
        status: 503,
        retryAfter: '1',
        detail: 'This search takes too long. Search for longer words, or for more of them.',
      })
    const list = hasty.guest.get('/api/topics')
    await lockWait(database.db, 1)
    await release()
    expect((await list).status).toBe(200)
    expect(await timeouts()).toEqual(before)
  })
})

describe('a search', () => {
  const list = topics.asSystem('test')
  const query = listQuery({ originalUrl: '/topics?q=garden' }, Topic)
  const reads = {
    page: (options = {}) => list.page(new PageRequest(), options),
    cursorPage: (options = {}) => list.cursorPage(new CursorRequest(), options),
    count: (options = {}) => list.count(options),
    findAll: (options = {}) => list.findAll(options),
  }
  const isLimited = () => statements.some((text) => text === 'set local statement_timeout = 60000')

  it.each(Object.keys(reads) as (keyof typeof reads)[])(
    'by %s is limited, other lists are not',
    async (name) => {
      await withDatabase(db, () => reads[name]({ query }))
      expect(isLimited()).toBe(true)
      statements.length = 0
      await withDatabase(db, () => reads[name]())
      expect(isLimited()).toBe(false)
    },
  )

  it('returns the same rows as without limits', async () => {
    const rows = await withDatabase(db, () => list.page(new PageRequest(), { query }))
    expect(rows.content.map(({ name }) => name)).toEqual(['Gardens'])
    expect(rows).toEqual(await withDatabase(database.db, () => list.page(new PageRequest(), { query })))
  })

  it('is limited in its own snapshot', async () => {
    const page = await withDatabase(db, () => list.page(new PageRequest(), { query, consistent: true }))
    expect([page.total_elements, isLimited()]).toEqual([1, true])
    expect(statements[0]).toContain('repeatable read')
  })

  it.each([
    ['garden', true],
    ['', false],
  ])('of a reference field for %j: %s', async (text, limited) => {
    await app.guest.post('/items/choices', { form: { _find_topic_id: text } })
    expect([statements.some((sent) => sent.includes('"topics"')), isLimited()]).toEqual([true, limited])
  })

  it('keeps the timeout of an open transaction', async () => {
    await withDatabase(db, () => inTransaction(() => reads.page({ query })))
    expect(isLimited()).toBe(false)
  })

  it('with a forged cursor is refused as without limits', async () => {
    const some = listQuery({ originalUrl: '/topics?q=s' }, Topic)
    const first = await withDatabase(db, () => list.cursorPage(new CursorRequest(null, 1), { query: some }))
    const [version, way, madeFor] = decodeCursor(first.next_cursor ?? '', z.array(z.unknown())) ?? []
    const statuses = [['1'], ['one'], ['9'.repeat(40)]].map(async (place) => {
      const token = encodeCursor([version, way, madeFor, place])
      return (await app.guest.get(`/api/topics?q=s&cursor=${token}`)).status
    })
    expect(await Promise.all(statuses)).toEqual([200, 400, 400])
  })
})
