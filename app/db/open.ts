import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { connect, ensureDatabase, joinEmbedded, limitSearches, Shards, type Tables } from 'pergola'
import { useMail } from 'pergola/mail'
import type { Config } from '#app/config.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'

export interface DatabaseServer {
  url: string
  /** Stops the embedded Postgres unless another process uses it. */
  leave: () => void
}

/** Returns the configuration of each database: that of each shard, or `config` itself without shards. */
export function databasesOf(config: Config): Config[] {
  const { database, shard } = config
  if (shard !== undefined || database.shards.length === 0) return [config]
  return database.shards.map(({ name, ...own }) => ({
    ...config,
    shard: name,
    database: { ...database, ...own },
  }))
}

/** Returns DATABASE_URL, or starts the embedded Postgres of development and test. */
export async function databaseServer(config: Config): Promise<DatabaseServer> {
  const { database } = config
  if (database.url !== undefined) return { url: database.url, leave: () => {} }
  const embedded = await joinEmbedded(database.data_dir)
  const name = embeddedName(config)
  await ensureDatabase(embedded.url('postgres'), name)
  return { url: embedded.url(name), leave: embedded.leave }
}

const embeddedName = ({ profile, shard }: Config) => ['pergola', profile, shard].filter(Boolean).join('_')

/** Opens the connection pool for requests. */
export function openDatabase(url: string, config: Config, logger: Logger): Kysely<Tables> {
  const { database, profile, shard } = config
  const log = shard === undefined ? logger : logger.child({ shard })
  const db = connect({
    url,
    ...(profile === 'development' && { onMissingIndex: (problem) => log.warn(problem) }),
    poolSize: database.pool_size,
    maxWaiting: database.max_waiting,
    connectTimeout: database.connect_timeout_ms,
    statementTimeout: database.statement_timeout_ms,
    lockTimeout: database.lock_timeout_ms,
    prepared: database.prepared,
    onConnectionError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onWarning: (problem) => log.warn(problem),
    ...replicas(config, log),
  })
  useMail(db, mailSettings(config))
  limitSearches(db, { poolSize: database.pool_size, statementTimeout: database.search_timeout_ms })
  return db
}

const replicas = ({ database }: Config, log: Logger) =>
  database.replica_urls.length === 0
    ? {}
    : {
        replicas: {
          urls: database.replica_urls,
          maxLag: database.max_lag_ms,
          timeout: database.replica_timeout_ms,
          onChange: (change: string) => log.warn(change),
        },
      }

interface Patient {
  log: Logger
  config?: Config
  /** Defaults to 5: a task uses up to four connections for its work. The fifth connection renews its lease. */
  poolSize?: number
}

/**
 * Runs `work` (migrations, seeds, tasks or jobs) with a pool that has long timeouts, and closes the pool afterwards. If the
 * database is a shard, `work` can read the others with `fromShard`.
 */
export async function withPatientDatabase<Result>(
  url: string,
  { log, config, poolSize = 5 }: Patient,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const db = openPatiently(url, { log, poolSize, ...(config && { config }) })
  const others = otherShards(url, config).map(
    (other) => [other.shard, openPatiently(other.database.url, { log, config: other })] as const,
  )
  if (config?.shard !== undefined) Shards.of([[config.shard, db], ...others])
  try {
    return await work(db)
  } finally {
    await Promise.all([db, ...others.map(([, other]) => other)].map((one) => one.destroy()))
  }
}

/** Returns the configurations of the other shards, in the embedded Postgres of `url` if they have no URL. */
function otherShards(url: string, config: Config | undefined) {
  if (config?.shard === undefined) return []
  const { shard: own, ...all } = config
  return databasesOf(all)
    .filter(({ shard }) => shard !== own)
    .map(({ shard = '', ...other }) => {
      const embedded = Object.assign(new URL(url), { pathname: embeddedName({ ...other, shard }) }).href
      return { ...other, shard, database: { ...other.database, url: other.database.url ?? embedded } }
    })
}

function openPatiently(url: string, { log, config, poolSize = 5 }: Patient): Kysely<Tables> {
  const db = connect({
    url,
    poolSize,
    maxWaiting: 100,
    connectTimeout: 5_000,
    statementTimeout: 600_000,
    lockTimeout: 60_000,
    // Such work repeats few statements, and may be connected through a pooler.
    prepared: 'off',
    onConnectionError: (error) => log.warn({ err: error }, 'a database connection broke'),
    // For exports: other lists of tasks read the primary.
    ...(config !== undefined && replicas(config, log)),
    // Without `onWarning`: a connection pooler replaces these timeouts by those of the role, which are the server's.
  })
  if (config !== undefined) useMail(db, mailSettings(config))
  return db
}
