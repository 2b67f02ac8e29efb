import { Writable } from 'node:stream'
import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { CursorRequest, publicRoute, routes, type Tables, withDatabase } from 'pergola'
import { listen, portOf } from 'pergola/app'
import { readReplicas, Shards, type ShardOf } from 'pergola/scale'
import { connectForTests } from 'pergola/lab'
import { clearRateLimits, lockTable, TestClient, testDatabase } from 'pergola/testing'
import { databaseContext } from '../src/database/executor.ts'
import { writePosition } from '../src/scale/log-position.ts'
import { type AppParts, createApp } from './fixtures/app.ts'
import { makeNote, notes } from './fixtures/note.ts'
import { resources } from './fixtures/resources.ts'
import { makeUser } from './fixtures/user.ts'

const eu = await testDatabase()
const us = await testDatabase()
/** It is configured, and was not checked at the start. */
const late = await testDatabase()
const shards = Shards.of(
  [
    ['eu', eu.db],
    ['us', us.db],
    ['late', late.db],
  ],
  (name) => name !== 'late',
)

/** The position of the caller's last write, as the lists of the request require it. */
const positionRoutes = routes('/position', {
  'GET /': [
    publicRoute(),
    (_req, res) => {
      const { position } = databaseContext().unit
      res.json(position === null ? null : writePosition(position))
    },
  ],
})

/** A client whose requests belong to a shard. */
class ShardClient extends TestClient {
  shard: string

  constructor(url: string, shard: string) {
    super(url)
    this.shard = shard
  }

  override send(method: string, path: string, content: Parameters<TestClient['send']>[2] = {}) {
    const headers = { ...content.headers, 'X-Shard': this.shard }
    return super.send(method, path, { ...content, headers })
  }
}

interface Line {
  readonly req?: { id: string }
  readonly shard?: string
}

/** Starts an application with all shards. Its requests have the shard of their header, unless `shardOf` is passed. */
async function start(parts: Partial<AppParts> = {}) {
  const lines: Line[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Line)
      done()
    },
  })
  const app = createApp({
    db: shards,
    resources,
    log: pino(stream),
    tables: [positionRoutes],
    ...parts,
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0, behindProxy: false })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${portOf(server)}`
  return { lines, url, at: (shard: string) => new ShardClient(url, shard) }
}

const app = await start()
const inEach = [eu, us] as const

const signIn = async (client: TestClient, email = 'ann@example.org') =>
  expect((await client.post('/login', { form: { email } })).status).toBe(303)

const note = (title: string) => ({ title, body: 'A body', published: true })

beforeAll(async () => {
  for (const { db } of inEach) {
    // The first user of each shard has the same id, address and name.
    await withDatabase(db, () => makeUser({ name: 'Ann' }))
    await sql`update users set email = 'ann@example.org'`.execute(db)
  }
})

beforeEach(async () => {
  for (const { db } of inEach) await sql`truncate notes restart identity cascade`.execute(db)
})

describe('a request', () => {
  it('reads and writes the shard that shardOf returns', async () => {
    const [one, other] = [app.at('eu'), app.at('us')]
    for (const client of [one, other]) await signIn(client)
    expect((await one.post('/api/notes', { json: note('in eu') })).json()).toMatchObject({ id: 1 })
    expect((await other.get('/api/notes/1')).status).toBe(404)
    expect((await other.get('/api/notes')).json()).toMatchObject({ content: [] })
    expect((await other.post('/api/notes', { json: note('in us') })).json()).toMatchObject({ id: 1 })
    expect((await one.get('/api/notes/1')).json()).toMatchObject({ title: 'in eu' })
    expect((await other.get('/api/notes/1')).json()).toMatchObject({ title: 'in us' })
  })

  it.each(['unknown', 'EU', '', ' ', 'constructor', '__proto__', 'eu,us'])(
    'is refused if shardOf returns the unknown name %o',
    async (name) => {
      for (const { statements } of inEach) statements.length = 0
      const { status, headers } = await app.at(name).get('/notes')
      expect([status, headers.get('retry-after')]).toEqual([421, null])
      expect([...eu.statements, ...us.statements]).toEqual([])
    },
  )

  it.each([
    ['null', () => null],
    ['undefined', () => undefined],
    ['a promise', () => Promise.resolve('eu')],
    ['an array', () => ['eu']],
  ])('is refused if shardOf returns %s', async (_what, shardOf) => {
    const { url } = await start({ shardOf: shardOf as ShardOf })
    for (const { statements } of inEach) statements.length = 0
    expect((await new TestClient(url).get('/api/notes')).status).toBe(421)
    expect([...eu.statements, ...us.statements]).toEqual([])
  })

  it('fails if shardOf throws, and reads no shard', async () => {
    const { url } = await start({
      shardOf: () => {
        throw new Error('The directory of tenants is empty.')
      },
    })
    for (const { statements } of inEach) statements.length = 0
    expect((await new TestClient(url).get('/api/notes')).status).toBe(500)
    expect([...eu.statements, ...us.statements]).toEqual([])
  })

  it('is refused until its shard was checked', async () => {
    const { status, headers } = await app.at('late').get('/api/notes')
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(late.statements).toEqual([])
    expect((await app.at('eu').get('/api/notes')).status).toBe(200)
  })

  it('costs the same statements as without shards', async () => {
    const { url } = await start({ db: eu.db })
    const count = async (client: TestClient) => {
      eu.statements.length = 0
      expect((await client.get('/notes')).status).toBe(200)
      return eu.statements.length
    }
    expect(await count(app.at('eu'))).toBe(await count(new TestClient(url)))
  })

  it('has its shard in the log', async () => {
    const { headers } = await app.at('us').get('/api/notes')
    const id = headers.get('x-request-id')
    const line = await vi.waitFor(
      () => app.lines.find(({ req }) => req?.id === id) ?? Promise.reject(new Error('no line')),
    )
    expect(line.shard).toBe('us')
  })

  it('needs no shard for probes and assets', async () => {
    for (const path of ['/livez', '/readyz']) expect((await app.at('unknown').get(path)).status).toBe(200)
  })
})

describe('in another shard', () => {
  it('a session cookie is that of a guest', async () => {
    const client = app.at('eu')
    await signIn(client)
    expect((await client.post('/api/notes', { json: note('by Ann') })).status).toBe(201)
    client.shard = 'us'
    expect((await client.post('/api/notes', { json: note('by Ann') })).status).toBe(401)
    client.shard = 'eu'
    expect((await client.post('/api/notes', { json: note('by Ann') })).status).toBe(201)
  })

  it('an idempotency key belongs to another write', async () => {
    const headers = { 'Idempotency-Key': 'the same key in both' }
    for (const name of ['eu', 'us']) {
      const client = app.at(name)
      await signIn(client)
      for (let count = 0; count < 2; count++)
        expect((await client.post('/api/notes', { json: note('once'), headers })).status).toBe(201)
    }
    for (const { db } of inEach) expect(await withDatabase(db, () => notes.asSystem('test').count())).toBe(1)
  })

  it('a position of the log is not valid', async () => {
    const copied = inEach.map(({ url }) =>
      connectForTests(url, { replicas: readReplicas({ urls: [url], maxLag: 5_000, timeout: 1_000 }) }),
    )
    onTestFinished(() => Promise.all(copied.map((db) => db.destroy())).then(() => {}))
    const [first, second] = copied as [Kysely<Tables>, Kysely<Tables>]
    const withReplicas = await start({
      db: Shards.of([
        ['eu', first],
        ['us', second],
      ]),
    })
    const client = withReplicas.at('eu')
    await signIn(client)
    await client.post('/api/notes', { json: note('written') })
    expect((await client.get('/position')).json()).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
    client.shard = 'us'
    expect((await client.get('/position')).json()).toBeNull()
  })

  it('a user with the same id has limits of its own', async () => {
    const limited = await start({ limits: { writes: { requests: 2, seconds: 60 } } })
    const statuses = async (name: string) => {
      const client = limited.at(name)
      await signIn(client)
      const post = () => client.post('/api/notes', { json: note('limited') })
      const answers = await Promise.all([post(), post(), post()])
      return answers.map(({ status }) => status).toSorted((one, other) => one - other)
    }
    for (const { db } of inEach) await clearRateLimits(db)
    // At the same moment, and after the keys are blocked.
    const expected = [201, 201, 429]
    expect(await Promise.all([statuses('eu'), statuses('us')])).toEqual([expected, expected])
    for (const { db } of inEach) await clearRateLimits(db)
    expect([await statuses('eu'), await statuses('us')]).toEqual([expected, expected])
    for (const { db } of inEach) await clearRateLimits(db)
  })

  it('a row with the same key is read from its own database, at the same moment', async () => {
    for (const [index, { db }] of inEach.entries())
      await withDatabase(db, () => makeNote({ title: `in ${index}`, author_id: 1 }))
    const titles = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const answer = await app.at(index % 2 === 0 ? 'eu' : 'us').get('/api/notes/1')
        return (answer.json() as { title: string }).title
      }),
    )
    expect(titles).toEqual(titles.map((_title, index) => `in ${index % 2}`))
  })

  it('a label of the same record is read from its own database, at the same moment', async () => {
    const names = ['Ann of eu', 'Ann of us']
    for (const [index, { db }] of inEach.entries()) {
      await sql`update users set name = ${names[index]}`.execute(db)
      await withDatabase(db, () => makeNote({ author_id: 1 }))
    }
    const pages = await Promise.all(
      Array.from({ length: 20 }, (_, index) => app.at(index % 2 === 0 ? 'eu' : 'us').get('/notes')),
    )
    const found = pages.map(({ text }) => names.filter((name) => text.includes(name)))
    expect(found).toEqual(pages.map((_page, index) => [names[index % 2]]))
  })

  it('the keys of cursor pages are checked again', async () => {
    const page = (db: Kysely<Tables>) =>
      withDatabase(db, () => notes.asSystem('test').cursorPage(new CursorRequest()))
    await sql`alter table notes alter created_at drop not null`.execute(us.db)
    try {
      expect((await page(eu.db)).content).toEqual([])
      await expect(page(us.db)).rejects.toThrow('which may be null')
    } finally {
      await sql`alter table notes alter created_at set not null`.execute(us.db)
    }
  })
})

describe('a shard whose statements hang', () => {
  it('takes no places of the others', async () => {
    const release = await lockTable(eu.db, 'notes')
    let ended = 0
    // More than the limit of a process that has just started.
    const hanging = Array.from({ length: 40 }, async () => {
      const { status } = await app.at('eu').get('/api/notes')
      ended++
      return status
    })
    try {
      for (let count = 0; count < 20; count++) expect((await app.at('us').get('/api/notes')).status).toBe(200)
      expect(ended).toBeLessThan(40)
    } finally {
      await release()
    }
    expect((await Promise.all(hanging)).filter((status) => ![200, 503].includes(status))).toEqual([])
  })
})
