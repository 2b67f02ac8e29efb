import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { connect, ensureDatabase, joinEmbedded, limitSearches, type Tables } from 'pergola'
import type { Config } from '#app/config.ts'

export interface DatabaseServer {
  url: string
  /** Stops the embedded Postgres unless another process uses it. */
  leave: () => void
}

/** Returns DATABASE_URL, or starts the embedded Postgres of development and test. */
export async function databaseServer({ database, profile }: Config): Promise<DatabaseServer> {
  if (database.url !== undefined) return { url: database.url, leave: () => {} }
  const embedded = await joinEmbedded(database.data_dir)
  const name = `pergola_${profile}`
  await ensureDatabase(embedded.url('postgres'), name)
  return { url: embedded.url(name), leave: embedded.leave }
}

/** Opens the connection pool for requests. */
export function openDatabase(url: string, config: Config, log: Logger): Kysely<Tables> {
  const { database, profile } = config
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

/** Runs `work` (migrations, seeds, tasks or jobs) with a pool that has long timeouts, and closes the pool afterwards. */
export async function withPatientDatabase<Result>(
  url: string,
  // A task uses up to four connections for its work. The fifth connection renews its lease.
  { log, config, poolSize = 5 }: { log: Logger; config?: Config; poolSize?: number },
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
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
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
