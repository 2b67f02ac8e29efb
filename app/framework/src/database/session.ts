import { tracingChannel } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  CompiledQuery,
  DatabaseConnection,
  QueryResult as KyselyResult,
  RootOperationNode,
} from 'kysely'
import { DatabaseError, type PoolClient } from 'pg'
import { InexactId } from './column-types.ts'
import type { ConnectOptions } from './connect-options.ts'
import { listFailure } from './database-failure.ts'
import { currentDatabaseContext, isRead, countWrite, refuseStatement } from './executor.ts'
import type { Unit } from './unit.ts'
import { readsList } from './query-marks.ts'
import { type SessionState, transactionLimits } from './session-client.ts'
import { hasEndedConnection, isCollision, isStalePlan, SqlState, sqlState } from './sql-states.ts'
import { type Names, type Result, statements } from './send-statement.ts'

/** How often a statement outside of a transaction runs again after a collision. Postgres has rolled it back. */
const RETRIES = 3

/** Traces each statement with its text, and without its values. */
const channel = tracingChannel('pergola:statement')

/** The properties of its pool that a session uses. */
interface Sessions {
  readonly isReplica: boolean
  readonly state: SessionState
  /** The names of statements; null if the sessions can't keep them. */
  readonly names: Names | null
  readonly options: Pick<ConnectOptions, 'onStatement'>
  /** Called after each statement of Kysely that succeeded. */
  readonly onExecuted: ((query: CompiledQuery) => void) | undefined
  /** Closes the sessions that opened before: their server has become read-only. */
  renew(): void
}

/** A session of the pool: the connection that statements are sent over. */
export class Session implements DatabaseConnection {
  readonly client: PoolClient
  readonly openedAt = performance.now()
  /** The unit whose statements it carries, while one has it. */
  unit: Unit | undefined
  isBroken = false
  readonly #sessions: Sessions
  /** The statements without a result, and when the server last had none of them or returned a result. */
  #pending = 0
  #waitingSince = 0
  #suspectedSince = -1
  readonly #known = new Map<string, object>()

  /** `onError` is called once, when the connection breaks. */
  constructor(client: PoolClient, sessions: Sessions, onError: (error: Error) => void) {
    this.client = client
    this.#sessions = sessions
    client.on('end', () => (this.isBroken = true))
    client.on('error', (error) => {
      if (!this.isBroken) onError(error)
      this.isBroken = true
    })
  }

  /** Executes a query of Kysely. */
  async executeQuery<Found>(compiled: CompiledQuery): Promise<KyselyResult<Found>> {
    const { sql, parameters, query } = compiled
    try {
      const { command, rows, rowCount } = await this.execute(sql, parameters, isRead(query))
      this.#sessions.onExecuted?.(compiled)
      if (command !== 'ROLLBACK') await this.#tellUnit(query)
      if (command === 'COMMIT' || command === 'ROLLBACK') return { rows: [{ command }] as Found[] }
      const found = rows as Found[]
      return WRITES.has(command) ? { rows: found, numAffectedRows: BigInt(rowCount) } : { rows: found }
    } catch (error) {
      // Replaces the stack, which leads to a socket, by one that leads to the caller.
      if (error instanceof DatabaseError) Error.captureStackTrace(error)
      throw readsList(query) ? listFailure(error) : error
    } finally {
      if (!this.#sessions.isReplica) countWrite(query)
    }
  }

  /** Calls `onWritten` of the unit after a committed write. */
  async #tellUnit(query: RootOperationNode): Promise<void> {
    const { onWritten } = currentDatabaseContext()?.unit ?? {}
    if (onWritten === undefined || isRead(query)) return
    if (this.#sessions.isReplica || this.client.getTransactionStatus() !== 'I') return
    await onWritten(async (text) => (await this.#send(text, [])).rows[0])
  }

  // Kysely streams rows through a cursor. Batches of the repository are faster, and need no open transaction.
  streamQuery(): never {
    throw new Error('Streams are not supported. Read the rows in batches.')
  }

  /**
   * Sends a statement and returns its result. Repeats it after a collision, unless it is part of a transaction. A text
   * with several statements must have no values and be no query.
   */
  async execute(text: string, values: readonly unknown[], isQuery = false): Promise<Result> {
    // On a replica, a collision is a conflict with the recovery, which the primary doesn't have.
    const retries = this.#sessions.isReplica ? 0 : RETRIES
    for (let attempt = 0; ; attempt++) {
      // Checked here and not earlier: the transaction may have ended while the statement waited for the connection.
      refuseStatement(text)
      const isAlone = this.client.getTransactionStatus() === 'I'
      try {
        return await this.#send(text, values, isQuery)
      } catch (error) {
        this.#inspectError(error)
        if (!isAlone || this.isBroken || attempt >= retries || !isCollision(error)) throw error
      }
      // Random delays, so that statements that collided don't collide again.
      await sleep(Math.random() * 20 * 2 ** attempt)
    }
  }

  /**
   * Closes the connection if the server hangs: it has not answered within `timeout` milliseconds, and since the call before
   * this one. After a long block of the event loop, answers may have arrived that were not read yet.
   */
  endIfSilent(now: number, timeout: number): void {
    if (this.#pending === 0 || now - this.#waitingSince < timeout) return
    const isFirst = this.#suspectedSince !== this.#waitingSince
    this.#suspectedSince = this.#waitingSince
    if (!isFirst) this.abort()
  }

  /** Closes the connection at once. */
  abort(): void {
    const { connection } = this.client as unknown as { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
  }

  async #send(text: string, values: readonly unknown[], isQuery = false): Promise<Result> {
    const { names, options } = this.#sessions
    options.onStatement?.(text, values)
    const name = values.length > 0 || isQuery ? names?.nameOf(text) : undefined
    if (this.#pending++ === 0) this.#waitingSince = performance.now()
    try {
      const known = this.#sessions.state.isDirect ? this.#known : null
      const message = { text: this.#withLimits(text), values, name, known }
      return await channel.tracePromise(() => statements.send(this.client, message), { text })
    } finally {
      if (--this.#pending > 0) this.#waitingSince = performance.now()
    }
  }

  /** A session without limits gets those of the transaction that begins, in the same message. */
  #withLimits(text: string): string {
    const { state } = this.#sessions
    return state.hasLimits || !BEGINS.test(text) ? text : `${text}; ${transactionLimits(state)}`
  }

  /** Updates the session, and the names of statements, after an error. */
  #inspectError(error: unknown): void {
    if (isStalePlan(error)) this.#sessions.names?.clear()
    const isReadOnly = sqlState(error) === SqlState.readOnlyTransaction
    // A primary that became a standby accepts no more writes. A new connection may reach the new primary.
    if (isReadOnly) this.#sessions.renew()
    // The connection remains usable after an error of the server. After a timeout, the next statement would wait.
    const isUsable =
      (error instanceof DatabaseError || error instanceof InexactId) && !hasEndedConnection(error)
    this.isBroken ||= isReadOnly || !isUsable
  }
}

const BEGINS = /^(?:begin|start transaction)\b/
const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
