import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { readReplicas } from '../scale/read-replicas.ts'
import { connect } from '../database/connect.ts'
import type { ConnectOptions } from '../database/connect-options.ts'
import { joinEmbedded } from '../embedded/development-postgres.ts'
import { ensureDatabase } from '../migrations/ensure-database.ts'
import { limitSearches } from '../lists/search-share.ts'
import { Shards } from '../scale/shards.ts'
import type { Tables } from '../resource/tables.ts'
import { type DatabaseConfig, databasesOf } from './database-settings.ts'

/**
 * Returns the URL of the configured database. Without one, starts the embedded Postgres of development and test, and
 * creates the database. `leave` stops the embedded Postgres unless another process uses it.
 */
export async function databaseServer(config: DatabaseConfig) {
  const { database, profile, shard } = config
  if (database.url !== undefined) return { url: database.url, leave: () => {} }
  const embedded = await joinEmbedded(database.data_dir)
  const name = ['pergola', profile, shard].filter(Boolean).join('_')
  await ensureDatabase(embedded.url('postgres'), name)
  return { url: embedded.url(name), leave: embedded.leave }
}

/**
 * Opens the connection pool for requests, with the limits and the replicas of the configuration. It connects with the
 * first query; close it with `destroy()`.
 */
export function openDatabase(url: string, config: DatabaseConfig, logger: Logger): Kysely<Tables> {
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
  limitSearches(db, { poolSize: database.pool_size, statementTimeout: database.search_timeout_ms })
  return db
}

const replicas = ({ database }: DatabaseConfig, log: Logger): Pick<ConnectOptions, 'replicas'> =>
  database.replica_urls.length === 0
    ? {}
    : {
        replicas: readReplicas({
          urls: database.replica_urls,
          maxLag: database.max_lag_ms,
          timeout: database.replica_timeout_ms,
          onChange: (change: string) => log.warn(change),
        }),
      }

/** Called with each connection pool, before its first query. */
export type OnOpen<Config> = (db: Kysely<Tables>, config: Config) => void

interface Patient<Config> {
  readonly log: Logger
  readonly config?: Config
  /** Called if there is a configuration. */
  readonly onOpen?: OnOpen<Config>
  /** Defaults to 5: a task uses up to four connections for its work. The fifth connection renews its lease. */
  readonly poolSize?: number
}

/**
 * Calls `work` (migrations, seeds, tasks or jobs) with a pool that has long timeouts, and closes the pool afterwards. If
 * the database is a shard, `work` can read the others with `fromShard`.
 */
export async function withPatientDatabase<Result, Config extends DatabaseConfig = DatabaseConfig>(
  url: string,
  { poolSize = 5, ...patient }: Patient<Config>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const { config } = patient
  const db = openPatiently(url, { ...patient, poolSize })
  const others: { name: string; db: Kysely<Tables>; leave: () => void }[] = []
  try {
    for (const other of otherShards(config)) {
      const { url, leave } = await databaseServer(other)
      others.push({ name: other.shard ?? '', db: openPatiently(url, { ...patient, config: other }), leave })
    }
    if (config?.shard !== undefined)
      Shards.of([[config.shard, db], ...others.map(({ name, db: one }) => [name, one] as const)])
    return await work(db)
  } finally {
    await Promise.all([db, ...others.map((other) => other.db)].map((one) => one.destroy()))
    for (const { leave } of others) leave()
  }
}

function otherShards<Config extends DatabaseConfig>(config: Config | undefined): Config[] {
  if (config?.shard === undefined) return []
  const { shard: own, ...all } = config
  return databasesOf(all as Config).filter(({ shard }) => shard !== own)
}

function openPatiently<Config extends DatabaseConfig>(
  url: string,
  { log, config, onOpen, poolSize = 5 }: Patient<Config>,
): Kysely<Tables> {
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
  if (config !== undefined) onOpen?.(db, config)
  return db
}
