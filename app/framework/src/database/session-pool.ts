import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, Pool, type PoolClient } from 'pg'
import { columnTypes } from './column-types.ts'
import type { ConnectOptions } from './connect.ts'
import { checkSession, refusesLimits, sessionClient, type SessionState } from './session-client.ts'
import { hasMessage, SqlState, sqlState } from './sql-states.ts'

/** How long a pool is content with the connections that it has, after the server refused another one. */
const FEWER_FOR = 5_000
/** Between two renewals: sessions that open during one would otherwise be closed by the next failed write, unused. */
const RENEWED_FOR = 1_000

/** A pool of sessions that are verified when they open. */
export class SessionPool {
  readonly pool: Pool
  readonly state: SessionState
  readonly #options: ConnectOptions
  /** Sessions that opened before this time are closed instead of used. */
  #validSince = -Infinity
  readonly #openedAt = new WeakMap<PoolClient, number>()
  readonly #warned = new Set<string>()
  #fewerTimer: NodeJS.Timeout | undefined

  constructor(options: ConnectOptions) {
    this.#options = options
    this.state = {
      limits: {
        statement_timeout: options.statementTimeout,
        lock_timeout: options.lockTimeout,
        idle_in_transaction_session_timeout: 10_000,
      },
      hasLimits: true,
      isDirect: false,
    }
    this.pool = new Pool({
      Client: sessionClient(this.state),
      connectionString: options.url,
      application_name: 'pergola',
      types: columnTypes,
      max: options.poolSize,
      connectionTimeoutMillis: options.connectTimeout,
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: 1_800,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // Only for a server that hangs: otherwise its `statement_timeout` ends the statement first.
      query_timeout: options.statementTimeout + 2_000,
      // The driver awaits the result, although the type is void.
      onConnect: ((client: Client) => this.#check(client)) as (client: unknown) => void,
    })
    // An 'error' event without a listener ends the process. The pool also emits the errors of its idle connections.
    this.pool.on('error', () => {})
    // `pool.end()` doesn't wait until its connections are closed, and the server may stop before they are.
    const report = (error: Error) => {
      if (!this.pool.ending) options.onConnectionError(error)
    }
    this.pool.on('connect', (client) => {
      this.#openedAt.set(client, performance.now())
      client.on('error', report)
    })
  }

  /** Returns a session. While the server has no connection to spare, it waits for one that this process has. */
  async take(): Promise<PoolClient> {
    const deadline = performance.now() + this.#options.connectTimeout
    for (;;) {
      try {
        const client = await this.pool.connect()
        if ((this.#openedAt.get(client) ?? 0) >= this.#validSince) return client
        client.release(true)
      } catch (error) {
        if (refusesLimits(error)) this.state.hasLimits = false
        else if (hasNoConnectionLeft(error) && performance.now() < deadline) await this.#useFewer()
        else throw error
      }
    }
  }

  /** Closes the idle sessions, and the others when they are released: their server has become read-only. */
  renew(): void {
    const now = performance.now()
    if (now - this.#validSince >= RENEWED_FOR) this.#validSince = now
  }

  async #useFewer(): Promise<void> {
    const { options, totalCount } = this.pool
    options.max = Math.max(1, totalCount)
    clearTimeout(this.#fewerTimer)
    this.#fewerTimer = setTimeout(() => (options.max = this.#options.poolSize), FEWER_FOR).unref()
    if (totalCount === 0) await sleep(20 + Math.random() * 80)
  }

  async #check(client: Client): Promise<void> {
    await checkSession(client, this.state, (problem) => {
      if (this.#warned.has(problem)) return
      this.#warned.add(problem)
      this.#options.onWarning?.(problem)
    })
  }
}

/** Returns whether the server or a connection pooler refused a connection because there are too many. */
const hasNoConnectionLeft = (error: unknown): boolean =>
  sqlState(error) === SqlState.tooManyConnections || hasMessage(error, /no more connections allowed/)
