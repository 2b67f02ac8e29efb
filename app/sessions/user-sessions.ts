import { database, type Session } from 'pergola'
import { isAlive } from './session.ts'

export interface OpenSession {
  readonly id: number
  readonly created_at: string
  /** The time of the last request, up to five minutes too early. */
  readonly last_seen_at: string
  readonly user_agent: string
  readonly is_current: boolean
}

/** Returns the open sessions of this session's user, newest first, a hundred at most. */
export function openSessions({ id, userId }: Session): Promise<OpenSession[]> {
  return database()
    .selectFrom('sessions')
    .select(['id', 'created_at', 'last_seen_at', 'user_agent'])
    .select((is) => is('token_digest', '=', id).$castTo<boolean>().as('is_current'))
    .where('user_id', '=', userId)
    .where(isAlive)
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

/** Returns the number of a user's open sessions. */
export async function countSessions(userId: number): Promise<number> {
  const sessions = database().selectFrom('sessions').where('user_id', '=', userId).where(isAlive)
  const { total } = await sessions
    .select((is) => is.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Ends one session of this user. Returns false if the user has no session with this id. */
export async function endSessionOf(userId: number, id: number): Promise<boolean> {
  const ended = database().deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id)
  return (await ended.executeTakeFirst()).numDeletedRows > 0n
}

/** Ends all other sessions of this session's user. */
export async function endOtherSessions({ id, userId }: Session): Promise<void> {
  const others = database().deleteFrom('sessions').where('user_id', '=', userId)
  await others.where('token_digest', '!=', id).execute()
}

/** Ends all sessions of a user. Call it after updating the user: the row lock makes it wait for a concurrent sign-in. */
export async function endSessionsOf(userId: number): Promise<void> {
  await database().deleteFrom('sessions').where('user_id', '=', userId).execute()
}
