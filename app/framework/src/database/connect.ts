import { Kysely, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { Client, DatabaseError, Pool, type PoolClient } from 'pg'
import { Unavailable } from '../http/errors.ts'
import type { Tables } from '../resource/tables.ts'
import { columnTypes, readIds } from './column-types.ts'
import { noteStatement, refuseStatement, takeTurn } from './executor.ts'
import { Postgres } from './migration-adapter.ts'
import { planGuard } from './plan-guard.ts'
import { LIST } from './statements.ts'

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
  /** Called for each cursor page without a suitable index. Explains every such statement once: for development. */
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
    // Fires only when the server hangs: it would have ended the statement itself before.
    query_timeout: options.statementTimeout + 2_000,
  })
  // An 'error' event without a listener ends the process. The pool repeats those of idle connections.
  pool.on('error', () => {})
  // `pool.end()` doesn't wait until its connections are closed, and the server may stop before they are.
  const report = (error: Error) => {
    if (!pool.ending) options.onConnectionError(error)
  }
  pool.on('connect', (client) => client.on('error', report))
  return new Kysely<Tables>({
    dialect: new Postgres({ pool: bounded(pool, options) }),
    log: ({ query }) => options.onStatement?.(query.sql, query.parameters),
  })
}

function bounded(pool: Pool, { maxWaiting, connectTimeout, onMissingIndex }: ConnectOptions): PostgresPool {
  const leases = new WeakMap<PoolClient, Lease>()
  const lookAtPlan = onMissingIndex && planGuard(pool, onMissingIndex)
  return {
    Client,
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const endTurn = await takeTurn(connectTimeout)
      try {
        // A queue that only grows helps nobody: who would wait longest hears at once that it is too much.
        if (pool.waitingCount >= maxWaiting) throw new Unavailable('every database connection is taken')
        const client = await pool.connect()
        const lease = leases.get(client) ?? leaseOf(client, lookAtPlan)
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

/** A connection of the pool, the same object each time, and the turn of who has it now. */
interface Lease {
  readonly connection: PostgresPoolClient
  endTurn: () => void
}

function leaseOf(client: PoolClient, lookAtPlan?: ReturnType<typeof planGuard>): Lease {
  let broken = false
  const query = async (text: string, parameters: readonly unknown[]) => {
    // Of statements that run side by side, those that waited for the first only come now.
    refuseStatement(text)
    try {
      const result = await client.query<Record<string, unknown>>(text, [...parameters])
      readIds(result)
      // Beside the answer, which doesn't wait for it; a look that fails says nothing.
      lookAtPlan?.(text, parameters).catch(() => {})
      return result
    } catch (error) {
      // What the server itself refused leaves the connection as it was. Silence doesn't: who came next would wait behind it.
      broken ||= hasEnded(error) || !(error instanceof DatabaseError || error instanceof RangeError)
      throw text.includes(LIST) ? new Unavailable(error) : error
    } finally {
      noteStatement(text)
    }
  }
  const connection: PostgresPoolClient = {
    // Kysely also gives cursors, to a dialect that was made with them; this one isn't.
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

/** The server's last words on a connection: it is closed behind them. */
const hasEnded = (error: unknown) =>
  error instanceof DatabaseError && /^(?:57P0\d|25P0[34])$/.test(error.code ?? '')

/** Ours come last, so that neither an option of the address nor the server's own setting moves them. */
function withOptions(url: string): string {
  const address = new URL(url)
  const given = address.searchParams.get('options') ?? ''
  address.searchParams.set(
    'options',
    `${given} -c TimeZone=UTC -c DateStyle=ISO -c extra_float_digits=1`.trim(),
  )
  return address.href
}
