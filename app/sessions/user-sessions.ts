import { database, inTransaction, type Session } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { isAlive, type SessionLimits } from './session-limits.ts'

export interface OpenSession {
  readonly id: number
  readonly created_at: string
  /** The time of the last request, up to five minutes too early. */
  readonly last_seen_at: string
  readonly user_agent: string
  readonly is_current: boolean
}

/** Returns the open sessions of this session's user, newest first, a hundred at most. */
export function openSessions({ id, userId }: Session, limits: SessionLimits): Promise<OpenSession[]> {
  return database()
    .selectFrom('sessions')
    .select(['id', 'created_at', 'last_seen_at', 'user_agent'])
    .select((is) => is('token_digest', '=', id).$castTo<boolean>().as('is_current'))
    .where('user_id', '=', userId)
    .where(isAlive(limits))
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

/** Returns the number of a user's open sessions. */
export async function countSessions(userId: number, limits: SessionLimits): Promise<number> {
  const sessions = database().selectFrom('sessions').where('user_id', '=', userId).where(isAlive(limits))
  const { total } = await sessions
    .select((is) => is.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * Returns whether the session of a request is still open, in a transaction that depends on it. Locks the row of the user
 * first, as a change of the password and a disabled account do, which end sessions.
 */
export async function isStillOpen({ id, userId }: Session): Promise<boolean> {
  await database().selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const session = database().selectFrom('sessions').select('id').where('token_digest', '=', id)
  return (await session.forKeyShare().executeTakeFirst()) !== undefined
}

/** Ends one session of this user. Returns false if the user has no session with this id. */
export const endSessionOf = (userId: number, id: number): Promise<boolean> =>
  endRecorded(userId, (sessions) => sessions.where('id', '=', id))

/** Ends all other sessions of this session's user. */
export async function endOtherSessions({ id, userId }: Session): Promise<void> {
  await endRecorded(userId, (sessions) => sessions.where('token_digest', '!=', id))
}

/** Ends all sessions of a user, and records that they were ended by command. */
export async function signOutEverywhere(userId: number): Promise<void> {
  await endRecorded(userId, (sessions) => sessions)
}

/** Ends sessions of a user, and records the event if there were any. Returns whether there were. */
function endRecorded(userId: number, which: (sessions: Sessions) => Sessions): Promise<boolean> {
  return inTransaction(async () => {
    const { numDeletedRows } = await which(sessionsOf(userId)).executeTakeFirstOrThrow()
    if (numDeletedRows > 0n) await recordEvent('sessions-ended', { target: userId })
    return numDeletedRows > 0n
  })
}

const sessionsOf = (userId: number) => database().deleteFrom('sessions').where('user_id', '=', userId)
type Sessions = ReturnType<typeof sessionsOf>

/** Ends all sessions of a user. Call it after updating the user: the row lock makes it wait for a concurrent sign-in. */
export async function endSessionsOf(userId: number): Promise<void> {
  await sessionsOf(userId).execute()
}
