import { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import type { ConnectOptions } from './connect-options.ts'
import { Postgres } from './postgres-dialect.ts'
import { SessionPool } from './session-pool.ts'
import type { ReadReplicas } from './unit.ts'

/**
 * Opens a pool of connections. It connects with the first query; close it with `destroy()`.
 *
 * A query throws `Unavailable` (503) if it waits longer than `connectTimeout` for a connection, or if `maxWaiting`
 * others already wait. One request holds four connections at most. Timestamps arrive as RFC 3339 text in UTC,
 * `bigint` columns as text, and columns named `id` or `…_id` as numbers.
 */
export function connect(options: ConnectOptions): Kysely<Tables> {
  return new PooledDatabase(new SessionPool(options), options.replicas?.(options))
}

class PooledDatabase extends Kysely<Tables> {
  readonly sessions: SessionPool
  readonly replicas: ReadReplicas | undefined

  constructor(sessions: SessionPool, replicas: ReadReplicas | undefined) {
    super({ dialect: new Postgres(sessions) })
    this.sessions = sessions
    this.replicas = replicas
  }

  /** Ends the sessions here, because Kysely doesn't destroy the driver of a database that sent no statement through it. */
  override async destroy(): Promise<void> {
    await this.replicas?.end()
    await super.destroy()
    await this.sessions.end()
  }
}

/** Returns the sessions of a database that `connect` returned. Undefined for a transaction, and with plugins. */
export const sessionsOf = (db: Kysely<Tables>): SessionPool | undefined =>
  db instanceof PooledDatabase ? db.sessions : undefined

/** Returns the replicas of a database; undefined for a transaction, and without `replica_urls`. */
export const replicasOf = (db: Kysely<Tables>): ReadReplicas | undefined =>
  db instanceof PooledDatabase ? db.replicas : undefined
