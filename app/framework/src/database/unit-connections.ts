import { Unavailable } from '../http/errors.ts'
import { Limiter } from '../http/overload/limiter.ts'
import type { Unit } from './unit.ts'
import type { Session } from './session.ts'
import type { SessionPool } from './session-pool.ts'

/** The most connections of one unit, so that the requests of one page can't use up the pool. */
const CONNECTIONS = 4

/**
 * Takes a session for the statements of a unit, if there is one. Waits while the unit has all of its connections. Rejects
 * with `Unavailable` after the pool's timeout, since their statements may be waiting for this one.
 */
export async function acquireSession(sessions: SessionPool, unit: Unit | undefined): Promise<Session> {
  const connections = unit && connectionsOf(unit, sessions)
  if (connections?.tryAcquire() === false) await connections.acquire(tooMany)
  try {
    const session = await sessions.acquire()
    session.unit = unit
    return session
  } catch (error) {
    connections?.release()
    throw error
  }
}

export function releaseSession(sessions: SessionPool, session: Session): void {
  session.unit?.connections?.release()
  session.unit = undefined
  sessions.release(session)
}

const connectionsOf = (unit: Unit, { connectTimeout }: SessionPool): Limiter =>
  (unit.connections ??= new Limiter({
    places: () => CONNECTIONS,
    room: () => Infinity,
    patience: connectTimeout,
  }))

const tooMany = () => new Unavailable('this request holds too many connections')
