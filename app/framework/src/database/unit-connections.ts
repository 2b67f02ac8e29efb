import { Unavailable } from '../http/errors.ts'
import type { Unit } from './executor.ts'
import type { Session } from './session.ts'
import type { SessionPool } from './session-pool.ts'

/** The most connections of one unit, so that the requests of one page can't use up the pool. */
const CONNECTIONS = 4

/** Takes a session for the statements of a unit, if there is one: see `takeTurn`. */
export async function takeSession(sessions: SessionPool, unit: Unit | undefined): Promise<Session> {
  if (unit !== undefined) await takeTurn(unit, sessions.connectTimeout)
  try {
    const session = await sessions.take()
    session.unit = unit
    return session
  } catch (error) {
    if (unit !== undefined) endTurn(unit)
    throw error
  }
}

export function giveSession(sessions: SessionPool, session: Session): void {
  if (session.unit !== undefined) endTurn(session.unit)
  session.unit = undefined
  sessions.give(session)
}

/**
 * Reserves one of the unit's connections. Returns a promise while all of them are in use. It rejects with `Unavailable`
 * after `timeout` milliseconds, since the statements with the other connections may be waiting for this one.
 */
function takeTurn(unit: Unit, timeout: number): Promise<void> | undefined {
  if (unit.held >= CONNECTIONS) return nextTurn(unit, timeout)
  unit.held++
  return undefined
}

/** Releases one of the unit's connections. */
function endTurn(unit: Unit): void {
  // The next waiter gets this connection, so `held` doesn't change.
  const next = unit.waiting.shift()
  if (next === undefined) unit.held--
  else next()
}

function nextTurn({ waiting }: Unit, timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(late)
      resolve()
    }
    const late = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1)
      reject(new Unavailable('this request holds too many connections'))
    }, timeout)
    waiting.push(begin)
  })
}
