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
export async function takeSession(sessions: SessionPool, unit: Unit | undefined): Promise<Session> {
  const connections = unit && connectionsOf(unit, sessions)
  if (connections?.take() === false) await connections.turn(tooMany)
  try {
    const session = await sessions.take()
    session.unit = unit
    return session
  } catch (error) {
    connections?.leave()
    throw error
  }
}

export function giveSession(sessions: SessionPool, session: Session): void {
  session.unit?.connections?.leave()
  session.unit = undefined
  sessions.give(session)
}

const connectionsOf = (unit: Unit, { connectTimeout }: SessionPool): Limiter =>
  (unit.connections ??= new Limiter({
    places: () => CONNECTIONS,
    room: () => Infinity,
    patience: connectTimeout,
  }))

const tooMany = () => new Unavailable('this request holds too many connections')
