import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import { type Tables, withDatabase } from 'pergola'
import { ensureDatabase, withPatientDatabase } from 'pergola/database'
import {
  freePort,
  ownPostgres,
  type OwnPostgres,
  restartableServer,
  type RestartableServer,
  type Standby,
} from 'pergola/lab'
import { TestClient } from 'pergola/testing'
import { haproxy, pgbouncer, POSTGRES_15 } from './debian-programs.ts'
import { unreachableMail } from '../unreachable-mail.ts'
import { migrate, DEMO_PASSWORD, makeUser, createTestNotes } from '../application.ts'

/** So far behind the primary is the slow replica, in milliseconds. */
export const DELAY = 2_000

/** Three processes of the application behind haproxy, on a primary behind PgBouncer and two replicas. */
export interface ClusterBed {
  primary: OwnPostgres
  /** The first has no delay, the second has `DELAY`. */
  replicas: readonly [Standby, Standby]
  servers: readonly RestartableServer[]
  /** The address of haproxy. */
  url: string
  /** Lets PgBouncer connect to another server. */
  pointTo: (server: OwnPostgres) => void
  /** Runs SQL on a server, by default on the primary. */
  sql: (statement: string, server?: OwnPostgres) => Promise<Record<string, unknown>[]>
  /** Returns a signed-in client of a new user, and the user's id. */
  newcomer: () => Promise<Newcomer>
  /** Texts that no response may contain. */
  secrets: readonly string[]
}

export interface Newcomer {
  client: TestClient
  id: number
}

/** Starts all parts of a cluster, and ends them when the test file ends. Call it at the top of the file. */
export async function clusterBed(): Promise<ClusterBed> {
  const primary = await ownPostgres({ programs: POSTGRES_15 })
  const prompt = await primary.replica()
  const slow = await primary.replica({ recovery_min_apply_delay: `${DELAY}ms` })
  await prepare(primary)
  const port = await freePort()
  const pooler = await pgbouncer(primary.url('app'))
  const secret = randomBytes(32).toString('hex')
  const servers = await processes({
    DATABASE_URL: pooler.url,
    DATABASE__MIGRATION_URL: primary.url('app'),
    DATABASE__REPLICA_URLS: [prompt, slow].map((replica) => replica.url('app')).join(),
    SESSION__SECRET: secret,
    BASE_URL: `https://127.0.0.1:${port}`,
  })
  await haproxy({ servers, port })
  const url = `http://127.0.0.1:${port}`
  return {
    primary,
    replicas: [prompt, slow],
    servers,
    url,
    pointTo: (server) => pooler.pointTo(server.url('app')),
    sql: (statement, server = primary) => sqlOn(server, statement),
    newcomer: () => newcomerOf(primary, url),
    secrets: [secret, new URL(primary.url('app')).password],
  }
}

/** Creates the database of the application on a server, and gives its role the limits that a pooler needs. */
export async function prepare(server: OwnPostgres): Promise<void> {
  await ensureDatabase(server.url('postgres'), 'app')
  await on(server, async (db) => {
    await migrate(db)
    await createTestNotes(db)
    for (const [limit, value] of LIMITS)
      await sql.raw(`alter role postgres set ${limit} = '${value}'`).execute(db)
  })
}

const LIMITS = [
  ['statement_timeout', '5000ms'],
  ['lock_timeout', '2000ms'],
  ['idle_in_transaction_session_timeout', '10000ms'],
] as const

const withTestNotes = join(import.meta.dirname, '../with-test-notes.ts')

/** Starts three processes of the application. */
export async function processes(env: Record<string, string>): Promise<RestartableServer[]> {
  const servers: RestartableServer[] = []
  for (let count = 0; count < 3; count++)
    servers.push(
      await restartableServer(['--import', withTestNotes, 'app/server.ts'], {
        SERVER__TRUST_PROXY: '1',
        SECURITY__WRITES_PER_MINUTE: '1000000',
        ...unreachableMail,
        ...env,
      }),
    )
  return servers
}

const on = <Result>(server: OwnPostgres, work: (db: Kysely<Tables>) => Promise<Result>) =>
  withPatientDatabase(server.url('app'), { log: pino({ level: 'silent' }) }, work)

/** Runs SQL on a server, past the poolers. */
export const sqlOn = (server: OwnPostgres, statement: string) =>
  on(server, async (db) => (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows)

/** Returns the titles of the test notes on a server. */
export const titlesOn = async (server: OwnPostgres) =>
  (await sqlOn(server, 'select title from test_notes')).map(({ title }) => String(title))

/** Stores a user on a server, and signs in at `url`. */
export async function newcomerOf(server: OwnPostgres, url: string): Promise<Newcomer> {
  const { id, email } = await on(server, (db) => withDatabase(db, () => makeUser()))
  const client = new TestClient(url)
  const { status } = await client.post('/login', { form: { email, password: DEMO_PASSWORD } })
  if (status !== 303) throw new Error(`The sign-in returned ${status}.`)
  return { client, id }
}
