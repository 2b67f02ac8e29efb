import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import type { Tables } from 'pergola'
import { openDatabase } from 'pergola/database'
import { replicaStates } from 'pergola/scale'
import type { Config } from '#app/config.ts'
import { isLoopback } from '#app/unsafe-settings.ts'
import { openDemoAccount } from '#app/users/open-demo-account.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

/** Checks for demo passwords and for an admin. Only production requires these. */
export async function checkAccounts(db: Kysely<Tables>): Promise<Finding[]> {
  const open = await openDemoAccount(db)
  const { rows } =
    await sql`select from users where 'admin' = any(roles) and disabled_at is null limit 1`.execute(db)
  return [
    open === null
      ? ok('demo-passwords', 'No account has the public demo password.')
      : wrong('demo-passwords', open, 'Delete the user, or change the password.'),
    rows.length > 0
      ? ok('admin', 'An admin exists.')
      : note('admin', 'No user is an admin.', 'npx cli task invite --email … --name … --role admin'),
  ]
}

/** Returns a note for an address that only this machine can open. */
export function checkAddress({ server }: Config): Finding {
  const { base_url = '' } = server
  if (!isLoopback(new URL(base_url).hostname)) return ok('address', `The address is ${base_url}.`)
  return note(
    'address',
    `BASE_URL is ${base_url}, which only this machine can open.`,
    'Set the public address.',
  )
}

/** Returns a note for a log without errors. */
export function checkLog({ server }: Config): Finding {
  const { log_level } = server
  if (!['silent', 'fatal'].includes(log_level)) return ok('log', `The log level is ${log_level}.`)
  return note('log', `The log level is ${log_level}: failures leave no trace.`, 'SERVER__LOG_LEVEL=info')
}

/** A request may hold four connections: see `connect`. */
const SMALLEST_POOL = 5

/** Returns a note for a pool in which requests wait for their own connections. */
export function checkPoolSize({ database }: Config): Finding {
  const { pool_size } = database
  if (pool_size >= SMALLEST_POOL) return ok('pool-size', `The pool_size is ${pool_size}.`)
  return note(
    'pool-size',
    `The pool_size is ${pool_size}, and a request may need four connections.`,
    `Set DATABASE__POOL_SIZE to ${SMALLEST_POOL} or more.`,
  )
}

/** Seconds between SIGTERM and SIGKILL, unless configured otherwise. */
const DOCKER = 10
const KUBERNETES = 30
/** Seconds for the end of the database connections. */
const DATABASE = 1.5

/** Returns a note if a container would be killed before the process has ended by itself. */
export function checkShutdown({ server }: Config): Finding {
  const seconds = server.linger_seconds + server.drain_seconds + DATABASE
  const message = `After SIGTERM, the process ends within ${seconds} seconds.`
  if (seconds < DOCKER) return ok('shutdown', message)
  return note(
    'shutdown',
    `${message} Docker kills it after ${DOCKER}, and Kubernetes after ${KUBERNETES}.`,
    'Raise stop_grace_period or terminationGracePeriodSeconds, or lower SERVER__LINGER_SECONDS and SERVER__DRAIN_SECONDS.',
  )
}

/** Returns a note for each problem of the server's sessions, such as limits that a connection pooler drops. */
export async function checkSessions(url: string, config: Config): Promise<Finding[]> {
  const problems: string[] = []
  const log = pino({}, { write: (line) => problems.push((JSON.parse(line) as { msg: string }).msg) })
  const db = openDatabase(url, config, log)
  try {
    await sql`select`.execute(db)
  } finally {
    await db.destroy()
  }
  if (problems.length === 0)
    return [ok('sessions', 'The database sessions have the limits of the configuration.')]
  return problems.map((problem) => note('sessions', problem, 'Then restart the connection pooler.'))
}

interface ConnectionLimits {
  server: number
  role: number
}

/** Compares the pool of a process with the connections that Postgres allows, less one for commands. */
export async function checkConnections(db: Kysely<Tables>, { database }: Config): Promise<Finding> {
  const { rows } = await sql<ConnectionLimits>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as server,
      rolconnlimit as role
    from pg_roles where rolname = session_user`.execute(db)
  const { server = 0, role = -1 } = rows[0] ?? {}
  const allowed = role < 0 ? server : Math.min(server, role)
  const processes = Math.floor((allowed - 1) / database.pool_size)
  const message = `Postgres allows ${allowed} connections: enough for ${processes} processes with a pool_size of ${database.pool_size}.`
  if (processes > 1) return ok('connections', message)
  const remedy = 'Lower DATABASE__POOL_SIZE, raise max_connections, or use a connection pooler.'
  return processes < 1 ? wrong('connections', message, remedy) : note('connections', message, remedy)
}

/** Checks that security.txt, if it is configured, has not expired. */
export function checkSecurityTxt({ security_txt }: Config): Finding[] {
  const { expires } = security_txt
  if (expires === undefined) return []
  if (Date.parse(expires) > Date.now()) return [ok('security-txt', `security.txt is valid until ${expires}.`)]
  return [
    wrong(
      'security-txt',
      `security.txt expired: ${expires}.`,
      'Set SECURITY_TXT__EXPIRES, or expires under [security_txt] in app/config.toml, to a time within a year.',
    ),
  ]
}

/** Returns a finding for each replica that lists are read from. */
export async function checkReplicas(url: string, config: Config): Promise<Finding[]> {
  if (config.database.replica_urls.length === 0) return []
  const db = openDatabase(url, config, pino({ level: 'silent' }))
  try {
    return (await replicaStates(db)).map(({ name, problem, lag, position }) => {
      const id = `replica-${name}`
      if (problem !== null)
        return wrong(
          id,
          `Lists are not read from the replica ${name}. ${problem}`,
          'Repair it, or remove it from replica_urls.',
        )
      if (position === null)
        return note(
          id,
          `The replica ${name} has no log positions, so that its lag is unknown and max_lag_ms doesn't bound it.`,
          'Read lists that must be fresh with onPrimary() or primaryReads.',
        )
      const message = `The replica ${name} is at ${position}, ${lag} ms behind the primary.`
      if (lag !== null && lag <= config.database.max_lag_ms) return ok(id, message)
      return note(id, message, 'Lists are read from it when its lag is below DATABASE__MAX_LAG_MS.')
    })
  } finally {
    await db.destroy()
  }
}
