import { type DatabaseConnection, Kysely, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { Client, DatabaseError, Pool, type PoolClient } from 'pg'
import { Unavailable } from '../http/errors.ts'
import type { Tables } from '../resource/tables.ts'
import { columnTypes, readIds } from './column-types.ts'
import { listFailure } from './database-failure.ts'
import { noteStatement, refuseStatement, takeTurn } from './executor.ts'
import { Postgres } from './postgres-dialect.ts'
import { planGuard } from './plan-guard.ts'
import { readsList } from './query-marks.ts'
import { hasEndedConnection } from './sql-states.ts'

interface ConnectOptions {
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
  const pool = new Pool({
    connectionString: withOptions(options.url),
    application_name: 'pergola',
    types: columnTypes,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeout,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1_800,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: options.statementTimeout,
    lock_timeout: options.lockTimeout,
    idle_in_transaction_session_timeout: 10_000,
    // Only for a server that hangs: otherwise its `statement_timeout` ends the statement first.
    query_timeout: options.statementTimeout + 2_000,
  })
  // An 'error' event without a listener ends the process. The pool also emits the errors of its idle connections.
  pool.on('error', () => {})
  // `pool.end()` doesn't wait until its connections are closed, and the server may stop before they are.
  const report = (error: Error) => {
    if (!pool.ending) options.onConnectionError(error)
  }
  pool.on('connect', (client) => client.on('error', report))
  const explainOnce = options.onMissingIndex && planGuard(pool, options.onMissingIndex)
  return new Kysely<Tables>({
    dialect: new Postgres({
      pool: bounded(pool, options),
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

function bounded(pool: Pool, { maxWaiting, connectTimeout }: ConnectOptions): PostgresPool {
  const leases = new WeakMap<PoolClient, Lease>()
  return {
    Client,
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const endTurn = await takeTurn(connectTimeout)
      try {
        // Reject immediately if the queue is full instead of letting it grow without bound.
        if (pool.waitingCount >= maxWaiting) throw new Unavailable('every database connection is in use')
        const client = await pool.connect()
        const lease = leases.get(client) ?? leaseOf(client)
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

/** The connection that Kysely gets for a client of the pool, and the function that releases its place in the unit. */
interface Lease {
  readonly connection: PostgresPoolClient
  endTurn: () => void
}

function leaseOf(client: PoolClient): Lease {
  let broken = false
  const query = async (text: string, parameters: readonly unknown[]) => {
    // Checked here and not earlier: the transaction may have ended while the statement waited for the connection.
    refuseStatement(text)
    try {
      const result = await client.query<Record<string, unknown>>(text, [...parameters])
      readIds(result)
      return result
    } catch (error) {
      // The connection remains usable after an error of the server. After a timeout, the next statement would wait.
      broken ||= hasEndedConnection(error) || !(error instanceof DatabaseError || error instanceof RangeError)
      throw error
    }
  }
  const connection: PostgresPoolClient = {
    // Kysely passes cursors only if its dialect was created with the `cursor` option.
    query: query as unknown as PostgresPoolClient['query'],
    release(destroy) {
      lease.endTurn()
      client.release(broken || destroy)
    },
    processID: (client as { processID?: number }).processID ?? 0,
  }
  const lease: Lease = { connection, endTurn: () => {} }
  return lease
}

/** Appends the session settings, so that they override the options of the URL and the settings of the server. */
function withOptions(url: string): string {
  const address = new URL(url)
  const options = address.searchParams.get('options') ?? ''
  address.searchParams.set(
    'options',
    `${options} -c TimeZone=UTC -c DateStyle=ISO -c extra_float_digits=1`.trim(),
  )
  return address.href
}
