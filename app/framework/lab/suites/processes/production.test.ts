import { once } from 'node:events'
import { Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { freePort, isPooled } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { productionServer } from './production-server.ts'
import { testNoteDatabase } from '../application.ts'

const database = await testNoteDatabase()
const other = await testDatabase()
const pooled = await isPooled(database.url)

const start = (env: Record<string, string> = {}) => productionServer(database.url, env)

interface Answer {
  status: number | undefined
  headers: IncomingMessage['headers']
  body: string
}

/** Sends a request as the proxy in front of the server does. */
async function get(url: string, agent?: Agent): Promise<Answer> {
  const request = httpGet(url, { headers: { Host: 'example.org' }, ...(agent && { agent }) })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const statusOf = async (url: string) => (await get(url)).status

/** Forwards connections to Postgres as soon as it listens. */
function forwarder() {
  const { hostname, port } = new URL(database.url)
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  onTestFinished(() => void server.close())
  return server
}

describe('app/server.ts in production', () => {
  it('listens while the database is down, and serves as soon as it is up', async () => {
    const port = await freePort()
    const address = new URL(database.url)
    address.host = `127.0.0.1:${port}`
    const { url } = await start({ DATABASE_URL: address.href })
    expect(await statusOf(`${url}/livez`)).toBe(200)
    expect(await statusOf(`${url}/readyz`)).toBe(503)
    const page = await get(`${url}/test-notes`)
    expect([page.status, page.headers['retry-after']]).toEqual([503, '1'])
    forwarder().listen(port, '127.0.0.1')
    await expect.poll(() => statusOf(`${url}/readyz`), { timeout: 10_000 }).toBe(200)
    expect(await statusOf(`${url}/test-notes`)).toBe(200)
  })

  it('does not start with a schema that is behind, and names the command', async () => {
    const { db, url } = other
    const last = await sql<{ name: string }>`
      delete from kysely_migration where name = (select max(name) from kysely_migration) returning name`.execute(
      db,
    )
    await expect(start({ DATABASE_URL: url })).rejects.toThrow(
      `The migration ${last.rows[0]?.name} is pending. Run npx cli db migrate first.`,
    )
  })

  // A connection pooler refuses them with errors of its own.
  it.skipIf(pooled).each([
    ['user', { username: 'no_such_role' }, 'Correct the user and the password in DATABASE_URL'],
    [
      'database',
      { pathname: '/no_such_database' },
      'Create it with npx cli db prepare, or correct DATABASE_URL.',
    ],
  ])('does not start with an unknown %s, and names the setting', async (_part, change, remedy) => {
    const address = Object.assign(new URL(database.url), change)
    await expect(start({ DATABASE_URL: address.href })).rejects.toThrow(remedy)
  })

  it('does not start at a port that is taken, and names the remedy', async () => {
    const { port } = new URL((await start()).url)
    await expect(start({ PORT: port })).rejects.toThrow(
      `Port ${port} is taken. Stop the process that listens on it`,
    )
  })

  it('serves requests after SIGTERM until the balancer has noticed', async () => {
    const { server, url } = await start({ SERVER__LINGER_SECONDS: '2' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    expect((await get(`${url}/test-notes`, agent)).headers.connection).toBe('keep-alive')
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    await expect.poll(() => statusOf(`${url}/readyz`)).toBe(503)
    const { status, headers } = await get(`${url}/test-notes`, agent)
    expect([status, headers.connection]).toEqual([200, 'close'])
    expect(await exit).toEqual([0, null])
  })

  // A connection pooler keeps its connections, and they keep their settings.
  it.skipIf(pooled)('is not ready while the database is read-only, and fails no read', async () => {
    const { url } = await start()
    const name = new URL(database.url).pathname.slice(1)
    const reconnect = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`.execute(other.db)
    expect(await statusOf(`${url}/readyz`)).toBe(200)
    await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(other.db)
    await reconnect()
    await expect.poll(() => statusOf(`${url}/readyz`)).toBe(503)
    expect(await statusOf(`${url}/test-notes`)).toBe(200)
    await sql.raw(`alter database ${name} reset all`).execute(other.db)
    await reconnect()
    await expect.poll(() => statusOf(`${url}/readyz`)).toBe(200)
  })
})
