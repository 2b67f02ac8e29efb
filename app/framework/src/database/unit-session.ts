import type { CompiledQuery, QueryResult } from 'kysely'
import type { Unit } from './executor.ts'
import type { Session } from './session.ts'
import type { SessionPool } from './session-pool.ts'
import { endTurn, takeTurn } from './unit-connections.ts'

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

/** A session that carries short statements of a unit. */
export interface SharedSession {
  readonly taken: Promise<Session>
  /** The statements that use it now. */
  uses: number
}

/**
 * Sends a short statement outside of a transaction. Those of a unit that overlap share a session, in a pipeline: each is
 * sent without waiting for the result of the one before it. Through a connection pooler, each has a session of its own.
 */
export async function sendShort<Row>(
  sessions: SessionPool,
  unit: Unit,
  query: CompiledQuery,
): Promise<QueryResult<Row>> {
  const { isDirect } = sessions.state
  const shared = (isDirect && unit.shared) || { taken: takeSession(sessions, unit), uses: 0 }
  if (isDirect) unit.shared = shared
  shared.uses++
  try {
    const session = await shared.taken
    return await session.executeQuery<Row>(query)
  } finally {
    if (--shared.uses === 0) end(sessions, unit, shared)
  }
}

/** Gives the session back, unless it could not be taken. */
function end(sessions: SessionPool, unit: Unit, shared: SharedSession): void {
  if (unit.shared === shared) unit.shared = null
  shared.taken.then(
    (session) => giveSession(sessions, session),
    () => {},
  )
}
