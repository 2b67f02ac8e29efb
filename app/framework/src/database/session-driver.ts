import { CompiledQuery, type DatabaseConnection, PostgresDriver } from 'kysely'
import { currentDatabaseContext } from './executor.ts'
import type { Session } from './session.ts'
import type { SessionPool } from './session-pool.ts'
import { releaseSession, acquireSession } from './unit-connections.ts'

/** Kysely's driver over the sessions of a pool. Its transactions are those of `PostgresDriver`. */
export class SessionDriver extends PostgresDriver {
  readonly #sessions: SessionPool

  constructor(sessions: SessionPool) {
    super({ pool: sessions.pool })
    this.#sessions = sessions
  }

  override async init(): Promise<void> {}

  override acquireConnection(): Promise<DatabaseConnection> {
    return acquireSession(this.#sessions, currentDatabaseContext()?.unit)
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    releaseSession(this.#sessions, connection as Session)
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    } catch (error) {
      // Its transaction may still be open.
      ;(connection as Session).isBroken = true
      throw error
    }
  }

  override async destroy(): Promise<void> {
    await this.#sessions.end()
  }
}
