import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { notes } from './fixtures/note.ts'
import { spawnServer } from 'pergola/lab'
import { type Answer, lockTable, lockWait, TestClient, testDatabase } from 'pergola/testing'
import { makeUser } from './fixtures/user.ts'

const database = await testDatabase()
const { email } = await withDatabase(database.db, () => makeUser())

/** Starts the fixture application in another process. */
const startServer = (env: Record<string, string> = {}) =>
  spawnServer(join(import.meta.dirname, 'fixtures/server.ts'), { DATABASE_URL: database.url, ...env })

async function signedIn(url: string, cookies?: TestClient): Promise<TestClient> {
  const client = new TestClient(url)
  if (cookies) for (const [name, value] of cookies.cookies) client.cookies.set(name, value)
  else await client.post('/login', { form: { email } })
  return client
}

/** Writes notes until the returned function is called. Collects the titles of the notes whose response was 201. */
function keepWriting(client: TestClient, acknowledged: string[]) {
  const stopping = new AbortController()
  const one = async (writer: number) => {
    for (let count = 0; !stopping.signal.aborted && count < 500; count++) {
      const title = `${writer}-${count}-${Math.random()}`
      const answer = await client.post('/api/notes', { json: { title, body: 'B' } }).catch(() => null)
      if (answer?.status === 201) acknowledged.push(title)
      if (answer === null) await sleep(5)
    }
  }
  const done = Promise.all([0, 1, 2, 3].map(one))
  return async () => {
    stopping.abort()
    await done
  }
}

const storedTitles = () =>
  withDatabase(database.db, async () => (await notes.asSystem('ledger').findAll()).map(({ title }) => title))

const killBackends = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'pergola' and datname = current_database() and pid <> pg_backend_pid()`.execute(
    database.db,
  )

describe('kill -9', () => {
  it('of the server under load loses no acknowledged write, and sessions remain valid', async () => {
    const first = await startServer()
    const client = await signedIn(first.url)
    const acknowledged: string[] = []
    const stop = keepWriting(client, acknowledged)
    while (acknowledged.length < 50) await sleep(10)
    first.server.kill('SIGKILL')
    await stop()
    const titles = await storedTitles()
    expect(acknowledged.filter((title) => !titles.includes(title))).toEqual([])
    const second = await startServer()
    expect((await (await signedIn(second.url, client)).get('/notes/new')).status).toBe(200)
  })

  it('of every Postgres backend under load doesn’t end the server, and loses no acknowledged write', async () => {
    const { server, url } = await startServer()
    const client = await signedIn(url)
    const acknowledged: string[] = []
    const stop = keepWriting(client, acknowledged)
    for (let round = 0; round < 5; round++) {
      const before = acknowledged.length
      while (acknowledged.length < before + 10) await sleep(5)
      await killBackends().catch(() => {})
    }
    const before = acknowledged.length
    while (acknowledged.length < before + 10) await sleep(5)
    await stop()
    expect(server.exitCode).toBeNull()
    const titles = await storedTitles()
    expect(acknowledged.filter((title) => !titles.includes(title))).toEqual([])
    expect(acknowledged.filter((title) => titles.indexOf(title) !== titles.lastIndexOf(title))).toEqual([])
  })
})

describe('an exhausted connection pool', () => {
  it('causes a 503 with Retry-After instead of a long wait', async () => {
    const patient = { LOCK_TIMEOUT_MS: '20000', STATEMENT_TIMEOUT_MS: '20000' }
    const { url } = await startServer({
      ...patient,
      POOL_SIZE: '2',
      CONNECT_TIMEOUT_MS: '500',
    })
    const client = new TestClient(url)
    const release = await lockTable(database.db, 'notes')
    const answers: Answer[] = []
    const requests = Array.from({ length: 20 }, async () => void answers.push(await client.get('/api/notes')))
    try {
      // Two requests use the connections and wait for the table. The other 18 fail.
      await expect.poll(() => answers.length).toBe(18)
      for (const { status, headers } of answers)
        expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect((await client.get('/livez')).status).toBe(200)
    } finally {
      await release()
    }
    await Promise.all(requests)
    expect(answers.slice(18).map(({ status }) => status)).toEqual([200, 200])
    expect((await client.get('/api/notes')).status).toBe(200)
  })
})

describe('a connection that no longer responds', () => {
  it('is closed, and the next request uses a new connection', async () => {
    const line = await frozenLine(Number(new URL(database.url).port || 5432))
    const address = new URL(database.url)
    address.port = String(line.port)
    const { url } = await startServer({
      DATABASE_URL: address.href,
      POOL_SIZE: '1',
      STATEMENT_TIMEOUT_MS: '300',
    })
    const client = new TestClient(url)
    expect((await client.get('/api/notes')).status).toBe(200)
    line.freeze()
    expect((await client.get('/api/notes')).status).toBe(503)
    expect((await client.get('/api/notes')).status).toBe(200)
    line.close()
  })
})

describe('SIGTERM', () => {
  it('doesn’t wait for a statement that hangs in the database', async () => {
    const { server, url } = await startServer({
      DRAIN_SECONDS: '1',
      LOCK_TIMEOUT_MS: '60000',
      STATEMENT_TIMEOUT_MS: '60000',
    })
    const release = await lockTable(database.db, 'notes')
    const underWay = new TestClient(url).get('/api/notes').catch(() => null)
    await lockWait(database.db)
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(await underWay).toBeNull()
    await release()
  })

  it('finishes running requests and exits in time, even with incomplete requests and idle connections', async () => {
    const { server, url } = await startServer({ DRAIN_SECONDS: '5' })
    const port = Number(new URL(url).port)
    const silent = await open(port)
    const halfSent = await open(port, 'GET /notes HTTP/1.1\r\nHost: localhost\r\nX-Half:')
    const halfBody = await open(
      port,
      'POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nemail=',
    )
    const release = await lockTable(database.db, 'notes')
    const underWay = new TestClient(url).get('/api/notes')
    await lockWait(database.db)
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await expect.poll(() => isRefused(port)).toBe(true)
    await release()
    expect((await underWay).status).toBe(200)
    expect(await ended).toEqual([0, null])
    for (const socket of [silent, halfSent, halfBody]) socket.destroy()
  })

  it('refuses new connections at once', async () => {
    const { server, url } = await startServer()
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
})

/** Starts a proxy to the database. `freeze` stops all traffic of its open connections; new connections work. */
async function frozenLine(target: number) {
  let lines: [Socket, Socket][] = []
  const proxy = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
    lines.push([near, far])
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const frozen: [Socket, Socket][] = []
  return {
    port: (proxy.address() as AddressInfo).port,
    freeze() {
      for (const [near, far] of lines) {
        near.unpipe(far).pause()
        far.unpipe(near).pause()
      }
      frozen.push(...lines)
      lines = []
    },
    close() {
      for (const socket of [...lines, ...frozen].flat()) socket.destroy()
      proxy.close()
    },
  }
}

const isRefused = (port: number) =>
  open(port).then(
    (socket) => (socket.destroy(), false),
    () => true,
  )

async function open(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}
