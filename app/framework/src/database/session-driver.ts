import { CompiledQuery, type DatabaseConnection, PostgresDriver } from 'kysely'
import { currentDatabaseContext } from './executor.ts'
import type { Session } from './session.ts'
import type { SessionPool } from './session-pool.ts'
import { Unavailable } from '../http/errors.ts'
import { Limiter } from '../http/overload/limiter.ts'
import type { Unit } from './unit.ts'

/** Kysely's driver over the sessions of a pool. Its transactions are those of `PostgresDriver`. */
export class SessionDriver extends PostgresDriver {
  readonly #sessions: SessionPool

  constructor(sessions: SessionPool) {
    super({ pool: sessions.pool })
    this.#sessions = sessions
  }

  override async init(): Promise<void> {}

  /**
   * Waits while the unit has all of its connections. Rejects with `Unavailable` after the pool's timeout, since their
   * statements may be waiting for this one.
   */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const unit = currentDatabaseContext()?.unit
    const connections = unit && connectionsOf(unit, this.#sessions)
    if (connections?.tryAcquire() === false) await connections.acquire(tooMany)
    try {
      const session = await this.#sessions.acquire()
      session.unit = unit
      return session
    } catch (error) {
      connections?.release()
      throw error
    }
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const session = connection as Session
    session.unit?.connections?.release()
    session.unit = undefined
    this.#sessions.release(session)
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

  /** The database ends its sessions. */
  override async destroy(): Promise<void> {}
}

/** The most connections of one unit, so that the requests of one page can't use up the pool. */
const CONNECTIONS = 4

const connectionsOf = (unit: Unit, { options }: SessionPool): Limiter =>
  (unit.connections ??= new Limiter({
    places: () => CONNECTIONS,
    room: () => Infinity,
    patience: options.connectTimeout,
  }))

const tooMany = () => new Unavailable('this request holds too many connections')
