import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import { type Tables, withDatabase } from 'pergola'
import { ensureDatabase, withPatientDatabase } from 'pergola/database'
import {
  ownPostgres,
  type OwnPostgres,
  restartableServer,
  type RestartableServer,
  type TcpProxy,
  tcpProxy,
  type UnderLoad,
} from 'pergola/lab'
import { TestClient } from 'pergola/testing'
import { unreachableMail } from '../unreachable-mail.ts'
import { migrate, DEMO_PASSWORD, makeUser, createTestNotes } from '../application.ts'

/** The application in production mode, with a Postgres server and a network to it that may fail. */
export interface FaultBed {
  postgres: OwnPostgres
  network: TcpProxy
  server: RestartableServer
  /** The address of a user who has the demo password. */
  email: string
  /** A signed-in client of the server. */
  client: TestClient
  /** The load for `withstand`: lists, pages, and test notes whose title is the key. */
  load: UnderLoad
  /** The environment variables of the server. */
  settings: Readonly<Record<string, string>>
  /** Starts another process of the application with the same secret and the same database. `stdout` is a file. */
  startServer: (env?: Record<string, string>, stdout?: string) => Promise<RestartableServer>
  /** Returns a client with the session of `client`. */
  clientOf: (server: RestartableServer) => TestClient
  /** Runs SQL in the database of the application, past the faulty network. */
  sql: (statement: string) => Promise<unknown[]>
}

/** Starts all parts of a fault bed, and ends them when the test file ends. Call it at the top of the file. */
export async function faultBed(): Promise<FaultBed> {
  const postgres = await ownPostgres()
  const url = postgres.url('app')
  await ensureDatabase(postgres.url('postgres'), 'app')
  const inDatabase = <Result>(work: (db: Kysely<Tables>) => Promise<Result>) =>
    withPatientDatabase(url, { log: pino({ level: 'silent' }) }, work)
  const { email } = await inDatabase(async (db) => {
    await migrate(db)
    await createTestNotes(db)
    return withDatabase(db, () => makeUser())
  })

  const network = await tcpProxy(url)
  const secret = randomBytes(32).toString('hex')
  const settings = {
    DATABASE_URL: network.through(url),
    SESSION__SECRET: secret,
    ...unreachableMail,
    SERVER__LOG_LEVEL: 'error',
    // One client and one user send all requests of the load.
    SERVER__CONNECTIONS_PER_CLIENT: '2000',
    SECURITY__WRITES_PER_MINUTE: '1000000',
  }
  const startServer = (env: Record<string, string> = {}, stdout?: string) =>
    restartableServer(
      ['--import', withTestNotes, 'app/server.ts'],
      { ...settings, ...env },
      { ...(stdout !== undefined && { stdout }) },
    )
  const server = await startServer()
  const client = new TestClient(server.url)
  await client.post('/login', { form: { email, password: DEMO_PASSWORD } })
  return {
    postgres,
    network,
    server,
    client,
    email,
    settings,
    startServer,
    load: {
      ...requestsOf(() => client),
      servers: [server],
      secrets: [secret, new URL(url).password],
      stored: () => inDatabase(titles),
    },
    clientOf({ url }) {
      const other = new TestClient(url)
      for (const [name, value] of client.cookies) other.cookies.set(name, value)
      return other
    },
    sql: (statement) => inDatabase(async (db) => (await sql.raw(statement).execute(db)).rows),
  }
}

/** Returns a test note with a title of its own. */
export const newNote = () => ({ title: crypto.randomUUID(), body: 'Written by a test.' })

/** Returns the requests of a load, each by the client that `next` returns. */
export const requestsOf = (next: () => TestClient) => ({
  read: () => next().get(Math.random() < 0.5 ? '/account' : '/api/test-notes'),
  write: (key: string) =>
    next().post('/api/test-notes', {
      headers: { 'Idempotency-Key': key },
      json: { title: key, body: 'Written under load.' },
    }),
})

const withTestNotes = join(import.meta.dirname, '../with-test-notes.ts')

const titles = async (db: Kysely<Tables>) =>
  (await db.selectFrom('test_notes').select('title').execute()).map(({ title }) => title)
