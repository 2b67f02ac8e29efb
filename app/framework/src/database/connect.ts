import { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { Postgres } from './postgres-dialect.ts'
import { addReplicas } from './replicas/read-replica.ts'
import { type ReplicaOptions, Replicas } from './replicas/replicas.ts'
import { SessionPool } from './session-pool.ts'

export interface ConnectOptions {
  url: string
  /** The most connections of this process. */
  poolSize: number
  /** The most statements that wait for a connection; further ones are refused with `Unavailable`. */
  maxWaiting: number
  /** Milliseconds that a statement waits for a connection. */
  connectTimeout: number
  /** Milliseconds after which Postgres cancels a statement. */
  statementTimeout: number
  /** Milliseconds that a statement waits for a lock. */
  lockTimeout: number
  /** Called when a connection breaks, unless the pool is closing. */
  onConnectionError: (error: Error) => void
  /**
   * Whether statements get names, so that Postgres plans each of them once for each connection: `auto` names them on
   * direct connections, `on` also through a connection pooler, which must support it. Defaults to `auto`.
   */
  prepared?: 'auto' | 'on' | 'off'
  /** Called once for each problem of the sessions that has a remedy, such as limits that a connection pooler drops. */
  onWarning?: (problem: string) => void
  /** Called for each cursor page without a suitable index. The check explains each page once: for development. */
  onMissingIndex?: (problem: string) => void
  /** The replicas that lists are read from. */
  replicas?: ReplicaOptions
  /** Called with every statement and its parameters: for tests and debugging. */
  onStatement?: (sql: string, parameters: readonly unknown[]) => void
}

/**
 * Opens a pool of connections. It connects with the first query; close it with `destroy()`.
 *
 * A query throws `Unavailable` (503) if it waits longer than `connectTimeout` for a connection, or if `maxWaiting`
 * others already wait. One request holds four connections at most. Timestamps arrive as RFC 3339 text in UTC,
 * `bigint` columns as text, and columns named `id` or `…_id` as numbers.
 */
export function connect(options: ConnectOptions): Kysely<Tables> {
  const sessions = new SessionPool(options)
  const replicas = options.replicas && new Replicas(options, options.replicas)
  const db = new PooledDatabase(sessions, replicas)
  pools.set(db, sessions)
  if (replicas !== undefined) addReplicas(db, replicas)
  return db
}

class PooledDatabase extends Kysely<Tables> {
  readonly #replicas: Replicas | undefined

  constructor(sessions: SessionPool, replicas: Replicas | undefined) {
    super({ dialect: new Postgres(sessions) })
    this.#replicas = replicas
  }

  /** Ends the replicas here, because Kysely doesn't destroy the driver of a database that sent no statement. */
  override async destroy(): Promise<void> {
    await this.#replicas?.end()
    await super.destroy()
  }
}

const pools = new WeakMap<Kysely<Tables>, SessionPool>()

/** Returns the sessions of a database that `connect` returned. Undefined for a transaction, and with plugins. */
export const sessionsOf = (db: Kysely<Tables>): SessionPool | undefined => pools.get(db)
