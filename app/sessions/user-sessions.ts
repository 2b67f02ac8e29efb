import { database, type Session } from 'pergola'
import { isAlive } from './session.ts'

export interface OpenSession {
  readonly id: number
  readonly created_at: string
  /** Up to five minutes behind. */
  readonly last_seen_at: string
  readonly user_agent: string
  readonly is_current: boolean
}

/** The open sessions of whoever asks, the latest first, a hundred at most. */
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

/** How many browsers a user is signed in with. */
export async function countSessions(userId: number): Promise<number> {
  const sessions = database().selectFrom('sessions').where('user_id', '=', userId).where(isAlive)
  const { total } = await sessions
    .select((is) => is.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Ends one session of this user; false when they have none of this id. */
export async function endSessionOf(userId: number, id: number): Promise<boolean> {
  const ended = database().deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id)
  return (await ended.executeTakeFirst()).numDeletedRows > 0n
}

/** Ends all sessions but this one. */
export async function endOtherSessions({ id, userId }: Session): Promise<void> {
  const others = database().deleteFrom('sessions').where('user_id', '=', userId)
  await others.where('token_digest', '!=', id).execute()
}

/** Signs a user out everywhere. After a change of the user, so that a sign-in under way is waited for and ended too. */
export async function endSessionsOf(userId: number): Promise<void> {
  await database().deleteFrom('sessions').where('user_id', '=', userId).execute()
}
