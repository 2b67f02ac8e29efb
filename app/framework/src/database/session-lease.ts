import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPoolClient } from 'kysely'
import { DatabaseError, type PoolClient, type QueryResult } from 'pg'
import { readIds } from './column-types.ts'
import { refuseStatement } from './executor.ts'
import { transactionLimits } from './session-client.ts'
import type { SessionPool } from './session-pool.ts'
import { hasEndedConnection, isCollision, isStalePlan, SqlState, sqlState } from './sql-states.ts'
import type { StatementNames } from './statement-names.ts'

type Row = Record<string, unknown>

/** How often a statement outside of a transaction runs again after a collision. Postgres has rolled it back. */
const RETRIES = 3

/** The connection that Kysely gets for a session of the pool. */
export class SessionLease {
  readonly connection: PostgresPoolClient
  /** Releases the connection's place in its unit. */
  endTurn: () => void = () => {}
  readonly #client: PoolClient
  readonly #sessions: SessionPool
  readonly #names: StatementNames | null
  #isBroken = false

  constructor(client: PoolClient, sessions: SessionPool, names: StatementNames | null) {
    this.#client = client
    this.#sessions = sessions
    this.#names = names
    const query = (text: string, parameters: readonly unknown[]) => this.#query(text, parameters)
    this.connection = {
      // Kysely passes cursors only if its dialect was created with the `cursor` option.
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy) => {
        this.endTurn()
        client.release(this.#isBroken || destroy)
      },
      processID: (client as { processID?: number }).processID ?? 0,
    }
  }

  async #query(text: string, parameters: readonly unknown[]): Promise<QueryResult<Row>> {
    for (let attempt = 0; ; attempt++) {
      // Checked here and not earlier: the transaction may have ended while the statement waited for the connection.
      refuseStatement(text)
      const isAlone = this.#client.getTransactionStatus() === 'I'
      try {
        return await this.#send(text, parameters)
      } catch (error) {
        this.#judge(error)
        if (!isAlone || this.#isBroken || attempt >= RETRIES || !isCollision(error)) throw error
      }
      // Random delays, so that statements that collided don't collide again.
      await sleep(Math.random() * 20 * 2 ** attempt)
    }
  }

  async #send(text: string, parameters: readonly unknown[]): Promise<QueryResult<Row>> {
    const name = parameters.length === 0 ? undefined : this.#names?.nameOf(text)
    const query = {
      text: this.#withLimits(text),
      values: [...parameters],
      ...(name !== undefined && { name }),
    }
    // A message with several statements has several results.
    const results = (await this.#client.query<Row>(query)) as QueryResult<Row> | [QueryResult<Row>]
    const result = Array.isArray(results) ? results[0] : results
    readIds(result)
    return result
  }

  /** A session without limits gets those of the transaction that begins, in the same message. */
  #withLimits(text: string): string {
    const { state } = this.#sessions
    return state.hasLimits || !BEGINS.test(text) ? text : `${text}; ${transactionLimits(state)}`
  }

  /** Notes what an error says about the session, and about the names of statements. */
  #judge(error: unknown): void {
    if (isStalePlan(error)) this.#names?.clear()
    const isReadOnly = sqlState(error) === SqlState.readOnlyTransaction
    // A primary that became a standby accepts no more writes. A new connection may reach the new primary.
    if (isReadOnly) this.#sessions.renew()
    // The connection remains usable after an error of the server. After a timeout, the next statement would wait.
    const isUsable =
      (error instanceof DatabaseError || error instanceof RangeError) && !hasEndedConnection(error)
    this.#isBroken ||= isReadOnly || !isUsable
  }
}

const BEGINS = /^(?:begin|start transaction)\b/
