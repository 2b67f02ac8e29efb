import { type DatabaseConnection, Kysely, type PostgresPool } from 'kysely'
import { Client, type PoolClient } from 'pg'
import { Unavailable } from '../http/errors.ts'
import type { Tables } from '../resource/tables.ts'
import { listFailure } from './database-failure.ts'
import { noteStatement } from './executor.ts'
import { Postgres } from './postgres-dialect.ts'
import { planGuard } from './plan-guard.ts'
import { readsList } from './query-marks.ts'
import { SessionLease } from './session-lease.ts'
import { SessionPool } from './session-pool.ts'
import { StatementNames } from './statement-names.ts'
import { takeTurn } from './unit-connections.ts'

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
  const explainOnce = options.onMissingIndex && planGuard(sessions.pool, options.onMissingIndex)
  return new Kysely<Tables>({
    dialect: new Postgres({
      pool: bounded(sessions, options),
      onCreateConnection: async (connection) => observeQueries(connection, explainOnce),
    }),
    log: ({ query }) => options.onStatement?.(query.sql, query.parameters),
  })
}

/** Makes a connection react to the kind of a query, and to the marks of `query-marks.ts`, which are in its nodes. */
function observeQueries(connection: DatabaseConnection, explainOnce?: ReturnType<typeof planGuard>): void {
  const execute = connection.executeQuery.bind<DatabaseConnection['executeQuery']>(connection)
  connection.executeQuery = (query, options) => {
    const result = execute<never>(query, options)
    // The explanation runs in the background, and its errors are ignored.
    if (explainOnce !== undefined) result.then(() => explainOnce(query)).catch(() => {})
    return result
      .catch((error: unknown) => {
        throw readsList(query.query) ? listFailure(error) : error
      })
      .finally(() => noteStatement(query.query))
  }
}

function bounded(sessions: SessionPool, options: ConnectOptions): PostgresPool {
  const { maxWaiting, connectTimeout, prepared = 'auto' } = options
  const { pool } = sessions
  const leases = new WeakMap<PoolClient, SessionLease>()
  const names = prepared === 'off' ? null : new StatementNames()
  return {
    Client,
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const endTurn = await takeTurn(connectTimeout)
      try {
        // Reject immediately if the queue is full instead of letting it grow without bound.
        if (pool.waitingCount >= maxWaiting) throw new Unavailable('every database connection is in use')
        const client = await sessions.take()
        const hasNames = prepared === 'on' || sessions.state.isDirect
        const lease = leases.get(client) ?? new SessionLease(client, sessions, hasNames ? names : null)
        leases.set(client, lease)
        lease.endTurn = endTurn
        return lease.connection
      } catch (error) {
        endTurn()
        throw error
      }
    },
  }
}
