import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { publicRoute, routes } from 'pergola'
import { connectForTests, ownPostgres } from 'pergola/lab'
import { TestClient } from 'pergola/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseContext } from '../src/database/executor.ts'
import { LAST_POSITION, writePosition } from '../src/scale/log-position.ts'
import { readReplicas, watchedReplicas } from '../src/scale/read-replicas.ts'
import { createApp } from './fixtures/app.ts'
import { resources } from './fixtures/resources.ts'
import { createTables } from './fixtures/tables.ts'
import { isPlain } from './fixtures/plain.ts'

/** So far behind the primary is the slow replica, in milliseconds. */
const DELAY = 2_000

const primary = await ownPostgres()
const url = primary.url('postgres')
await createTables(url)
const prompt = await primary.replica()
const slow = await primary.replica({ recovery_min_apply_delay: `${DELAY}ms` })

/** Shows the position that the lists of the request require, and writes two in the wrong order. */
const positionRoutes = routes('/position', {
  'GET /': [
    publicRoute(),
    (_req, res) => void res.json(writePosition(databaseContext().unit.position ?? 0n)),
  ],
  'POST /': [
    publicRoute(),
    async (_req, res) => {
      for (const position of [16n, 48n, 32n])
        await databaseContext().unit.onWritten?.(() => Promise.resolve({ position: writePosition(position) }))
      res.end()
    },
  ],
})

/** Starts an application, as in a process of its own. Its log has the replica of each response. */
async function start(replicas: readonly { url(database: string): string }[]) {
  const db = connectForTests(url, {
    replicas: readReplicas({
      urls: replicas.map((one) => one.url('postgres')),
      maxLag: 5_000,
      timeout: 1_000,
    }),
  })
  const lines: { req?: { id: string }; replica?: string }[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as (typeof lines)[number])
      done()
    },
  })
  const parts = { db, resources, log: pino(stream), tables: [positionRoutes] }
  const server = createApp(parts).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await db.destroy()
  })
  const { port } = server.address() as AddressInfo
  /** Requests a list, and returns its titles and the replica that it was read from. */
  const list = async (client: TestClient) => {
    const { headers, json } = await client.get('/api/notes?size=100')
    const id = headers.get('x-request-id')
    const line = await vi.waitFor(
      () => lines.find(({ req }) => req?.id === id) ?? Promise.reject(new Error(id ?? '')),
    )
    const { content } = json() as { content: { title: string }[] }
    return { titles: content.map(({ title }) => title), replica: line.replica }
  }
  return { db, url: `http://127.0.0.1:${port}`, list }
}

const both = await start([prompt, slow])
const onlySlow = await start([slow])

/** Returns a client of several applications, with the same cookies. */
function browser(...apps: { url: string }[]): TestClient[] {
  const [first, ...others] = apps.map((app) => new TestClient(app.url))
  for (const other of others) Object.assign(other, { cookies: first?.cookies })
  return [first, ...others] as TestClient[]
}

let count = 0
async function signIn(client: TestClient): Promise<void> {
  const email = `user${count++}@example.test`
  await sql`insert into users (name, email) values ('User', ${email})`.execute(both.db)
  expect((await client.post('/login', { form: { email } })).status).toBe(303)
}

const write = (client: TestClient, title: string) =>
  client.post('/api/notes', { json: { title, body: 'A body', published: true } })

const marks = (client: TestClient) => [...client.cookies].filter(([name]) => name.includes('written-'))

beforeAll(async () => {
  for (const app of [both, onlySlow])
    await vi.waitUntil(async () => {
      await app.list(new TestClient(app.url))
      return watchedReplicas(app.db)?.all.every(({ problem }) => problem === null)
    }, 10_000)
})

describe('a caller', () => {
  it('sees its own writes in the next list, in every process', async () => {
    const clients = browser(both, onlySlow)
    await signIn(clients[0] as TestClient)
    const missing: string[] = []
    for (let round = 0; round < 20; round++) {
      const title = `own ${round}`
      const [writer, reader] = round % 2 === 0 ? clients : clients.toReversed()
      expect((await write(writer as TestClient, title)).status).toBe(201)
      const app = reader === clients[0] ? both : onlySlow
      const { titles } = await app.list(reader as TestClient)
      if (!titles.includes(title)) missing.push(title)
    }
    expect(missing).toEqual([])
  })

  it('would not see them without its cookies', async () => {
    const [client] = browser(onlySlow)
    await signIn(client as TestClient)
    await write(client as TestClient, 'without cookies')
    const { titles, replica } = await onlySlow.list(new TestClient(onlySlow.url))
    expect(titles).not.toContain('without cookies')
    expect(replica).toBeDefined()
  })

  it('sees parallel writes, in whatever order their responses arrive', async () => {
    const [one, other] = browser(onlySlow, both) as [TestClient, TestClient]
    await signIn(one)
    const rounds = Array.from({ length: 5 }, (_, round) => [`left ${round}`, `right ${round}`])
    for (const [left = '', right = ''] of rounds) {
      await Promise.all([write(one, left), write(other, right)])
      const { titles } = await onlySlow.list(one)
      expect(titles).toEqual(expect.arrayContaining([left, right]))
    }
    // Each write removed the cookies that came with its request.
    expect(marks(one).length).toBeLessThanOrEqual(2)
  })

  // Without known seals, the caller has no name before its session is read, so the primary is read.
  it.skipIf(isPlain)('reads from a replica again when it has replayed the write', async () => {
    const [client] = browser(both) as [TestClient]
    await signIn(client)
    await write(client, 'replayed')
    await vi.waitFor(async () => {
      const { titles, replica } = await both.list(client)
      expect(titles).toContain('replayed')
      expect(replica).toBeDefined()
    }, DELAY * 3)
  })
})

describe('the position of a request', () => {
  const positionOf = async (cookies: Iterable<readonly [name: string, value: string]>) => {
    const client = new TestClient(both.url)
    for (const [name, value] of cookies) client.cookies.set(name, value)
    return (await client.get('/position')).json()
  }

  it.skipIf(isPlain)('is the largest of its cookies, in whatever order they arrive', async () => {
    const written: [string, string][] = []
    for (const title of ['first', 'second']) {
      // Another client of the same browser, which doesn't have the cookie of the first write yet.
      const client = new TestClient(both.url)
      await signIn(client)
      await write(client, title)
      written.push(...marks(client).slice(-1))
    }
    const [first, second] = [await positionOf(written.slice(0, 1)), await positionOf(written.slice(1))]
    expect(first).not.toBe(second)
    expect(await positionOf(written)).toBe(second)
    expect(await positionOf(written.toReversed())).toBe(second)
  })

  it('is the largest of the writes of the earlier request', async () => {
    const client = new TestClient(both.url)
    await client.post('/position', { headers: { 'user-agent': 'one guest' } })
    expect(marks(client)).toHaveLength(1)
    expect(await positionOf(marks(client))).toBe('0/30')
  })
})

describe('the cookies of many writes', () => {
  const sizeOf = (client: TestClient) => [...client.cookies].join('; ').length
  // Guests are distinguished by the address and the browser.
  let guests = 0
  const post = (client: TestClient) =>
    client.post('/position', { headers: { 'user-agent': `guest ${guests}` } })
  beforeEach(() => void guests++)

  it('are one, if the writes follow each other', async () => {
    const client = new TestClient(both.url)
    for (let count = 0; count < 120; count++) await post(client)
    expect(marks(client)).toHaveLength(1)
    expect(sizeOf(client)).toBeLessThan(120)
  })

  it('are four of each process, if the writes are concurrent, and require the greatest position', async () => {
    const client = new TestClient(both.url)
    await Promise.all(Array.from({ length: 120 }, () => post(client)))
    expect(marks(client)).toHaveLength(4)
    expect(sizeOf(client)).toBeLessThan(480)
    expect((await client.get('/position')).json()).toBe(writePosition(LAST_POSITION))
    // No write removes that position, since it may be that of a later one.
    await post(client)
    expect(marks(client)).toHaveLength(2)
    expect((await client.get('/position')).json()).toBe(writePosition(LAST_POSITION))
  })

  it('have places again when a request has brought them back', async () => {
    const client = new TestClient(both.url)
    for (let round = 0; round < 3; round++) {
      await Promise.all([post(client), post(client), post(client)])
      expect((await client.get('/position')).json()).toBe('0/30')
    }
  })
})

describe('the cookie', () => {
  it('comes with writes only', async () => {
    const [client] = browser(both) as [TestClient]
    await client.get('/notes')
    expect(marks(client)).toEqual([])
    await signIn(client)
    client.cookies.forEach((_value, name) => name.includes('written-') && client.cookies.delete(name))
    await client.get('/notes')
    expect(marks(client)).toEqual([])
    await write(client, 'marked')
    expect(marks(client)).toHaveLength(1)
  })

  it('is the same for a denied and for a missing record', async () => {
    const [owner, stranger] = [new TestClient(both.url), new TestClient(both.url)]
    await signIn(owner)
    await signIn(stranger)
    const { id } = (await write(owner, 'owned')).json() as { id: number }
    const change = { json: { title: 'taken', body: 'A body', published: true } }
    const denied = await stranger.put(`/api/notes/${id}`, change)
    const missing = await stranger.put('/api/notes/999999999', change)
    expect([denied.status, missing.status]).toEqual([404, 404])
    expect(denied.headers.getSetCookie()).toEqual(missing.headers.getSetCookie())
    expect(denied.headers.getSetCookie()).toEqual([])
  })

  const far = `FFFFFFFF/FFFFFFFF.${Math.ceil(Date.now() / 1_000) + 60}`
  it.each([
    ['without a signature', far],
    ['with a wrong signature', `${far}.${'A'.repeat(43)}`],
    ['with a signature of another length', `${far}.short`],
    ['that is empty', ''],
    ['that is long', 'A'.repeat(4_000)],
  ])('has no effect %s', async (_what, value) => {
    const client = new TestClient(both.url)
    client.cookies.set('written-00000000', value)
    expect((await both.list(client)).replica).toBeDefined()
  })

  it('has no effect after it has expired, even if a browser keeps it', async () => {
    const [client] = browser(onlySlow) as [TestClient]
    await signIn(client)
    await write(client, 'expires')
    vi.setSystemTime(Date.now() + 16_000)
    try {
      expect((await onlySlow.list(client)).replica).toBeDefined()
    } finally {
      vi.useRealTimers()
    }
  })
})
