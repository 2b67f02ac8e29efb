import { channel } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompiledQuery } from 'kysely'
import { type Client, Pool } from 'pg'
import { Unavailable } from '../http/errors.ts'
import { columnTypes } from './column-types.ts'
import type { ConnectOptions } from './connect-options.ts'
import { planGuard } from './plan-guard.ts'
import { type Names, statements } from './send-statement.ts'
import { Session } from './session.ts'
import { checkSession, refusesLimits, sessionClient, type SessionState } from './session-client.ts'
import { hasMessage, SqlState, sqlState } from './sql-states.ts'

/** How long a pool is content with the connections that it has, after the server refused another one. */
const FEWER_FOR = 5_000
/** Between two renewals: sessions that open during one would otherwise be closed by the next failed write, unused. */
const RENEWED_FOR = 1_000

/** Milliseconds between two looks at the sessions. */
const SWEEP = 1_000

/** A pool of sessions that are verified when they open. */
export class SessionPool {
  readonly pool: Pool
  readonly isReplica: boolean
  readonly state: SessionState
  readonly options: ConnectOptions
  /** Called after each statement of Kysely that succeeded. */
  readonly onExecuted: ((query: CompiledQuery) => void) | undefined
  readonly #names: Names | null
  /** Sessions that opened before this time are closed instead of used. */
  #validSince = -Infinity
  readonly #warned = new Set<string>()
  #fewerTimer: NodeJS.Timeout | undefined
  readonly #sessions = new Map<unknown, Session>()
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(options: ConnectOptions, role: 'primary' | 'replica' = 'primary') {
    this.options = options
    this.isReplica = role === 'replica'
    this.#names = options.prepared === 'off' ? null : statements.names()
    this.state = {
      limits: {
        statement_timeout: options.statementTimeout,
        lock_timeout: options.lockTimeout,
        idle_in_transaction_session_timeout: 10_000,
      },
      hasLimits: true,
      isDirect: false,
      capabilities: undefined,
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
      // The driver awaits the result, although the type is void.
      onConnect: ((client: Client) => this.#check(client)) as (client: unknown) => void,
    })
    const explainOnce = options.onMissingIndex && planGuard(this.pool, options.onMissingIndex)
    this.onExecuted = explainOnce && ((query) => void explainOnce(query).catch(() => {}))
    // An 'error' event without a listener ends the process. The pool also emits the errors of its idle connections.
    this.pool.on('error', () => {})
    // `pool.end()` doesn't wait until its connections are closed, and the server may stop before they are.
    const report = (error: Error) => {
      if (!this.pool.ending) options.onConnectionError(error)
    }
    this.pool.on('remove', (client) => this.#sessions.delete(client))
    this.pool.on('connect', (client) => {
      this.#sessions.set(client, new Session(client, this, report))
    })
    channel('pergola:pool').publish(this.pool)
  }

  /** The names of statements; null if the sessions can't keep them. */
  get names(): Names | null {
    return this.options.prepared === 'on' || this.state.isDirect ? this.#names : null
  }

  /**
   * Returns a session. Throws `Unavailable` if too many others wait for one. While the server has no connection to spare,
   * it waits for one that this process has.
   */
  async acquire(): Promise<Session> {
    const deadline = performance.now() + this.options.connectTimeout
    // Started with the first connection, since a pool may never be used.
    this.#sweepTimer ??= setInterval(() => this.#sweep(), SWEEP).unref()
    for (;;) {
      // Reject immediately if the queue is full instead of letting it grow without bound.
      if (this.pool.waitingCount >= this.options.maxWaiting)
        throw new Unavailable('every database connection is in use')
      try {
        const session = this.#sessions.get(await this.pool.connect()) as Session
        if (this.#isUsable(session)) return session
        session.client.release(true)
      } catch (error) {
        if (refusesLimits(error)) this.state.hasLimits = false
        else if (hasNoConnectionLeft(error) && performance.now() < deadline) await this.#useFewer()
        else throw error
      }
    }
  }

  /** Returns a session to the pool. */
  release(session: Session): void {
    session.client.release(!this.#isUsable(session))
  }

  /** Closes all sessions, those in use when they are given back. */
  async end(): Promise<void> {
    if (this.pool.ending) return
    await this.pool.end()
    clearInterval(this.#sweepTimer)
  }

  #isUsable({ isBroken, openedAt }: Session): boolean {
    return !isBroken && openedAt >= this.#validSince
  }

  /** Closes sessions whose server hangs. */
  #sweep(): void {
    const now = performance.now()
    // Otherwise the server's `statement_timeout` ends the statement first.
    for (const session of this.#sessions.values())
      session.endIfSilent(now, this.options.statementTimeout + 2_000)
  }

  /** Closes the idle sessions, and the others when they are released: their server has become read-only. */
  renew(): void {
    const now = performance.now()
    if (now - this.#validSince >= RENEWED_FOR) this.#validSince = now
  }

  /** Closes all sessions at once. Their statements fail with a lost connection. */
  abort(): void {
    for (const session of this.#sessions.values()) session.abort()
  }

  async #useFewer(): Promise<void> {
    const { options, totalCount } = this.pool
    options.max = Math.max(1, totalCount)
    clearTimeout(this.#fewerTimer)
    this.#fewerTimer = setTimeout(() => (options.max = this.options.poolSize), FEWER_FOR).unref()
    if (totalCount === 0) await sleep(20 + Math.random() * 80)
  }

  async #check(client: Client): Promise<void> {
    const warn = (problem: string) => {
      if (this.#warned.has(problem)) return
      this.#warned.add(problem)
      this.options.onWarning?.(problem)
    }
    await checkSession(client, this.state, { timeout: this.options.connectTimeout, warn })
  }
}

/** Returns whether the server or a connection pooler refused a connection because there are too many. */
const hasNoConnectionLeft = (error: unknown): boolean =>
  sqlState(error) === SqlState.tooManyConnections || hasMessage(error, /no more connections allowed/)
