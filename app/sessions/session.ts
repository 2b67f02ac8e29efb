import { createHash, randomBytes } from 'node:crypto'
import type { Request } from 'express'
import { type ColumnType, type Generated, sql } from 'kysely'
import {
  clearSessionToken,
  database,
  forgetPolicyContext,
  SESSION_LIFETIME,
  type Session,
  sessionToken,
  setSessionToken,
} from 'pergola'

export interface SessionTable {
  /** SHA-256 of the token in the cookie. */
  token_digest: string
  /** What pages call it by. */
  id: Generated<number>
  user_id: number
  created_at: ColumnType<string, string | undefined, never>
  last_seen_at: ColumnType<string, string | undefined, string>
  /** What the browser said of itself when it signed in, cut to 200 characters. */
  user_agent: ColumnType<string, string | undefined, never>
}

declare module 'pergola' {
  interface Tables {
    sessions: SessionTable
  }
}

/** Who the request's cookie stands for, by one indexed query; null for a guest, an ended session, a disabled user. */
export async function findSession(req: Request): Promise<Session | null> {
  const token = await sessionToken(req)
  if (token === null) return null
  const found = await database()
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['token_digest', 'user_id', 'users.name', 'users.roles'])
    .select(sql<boolean>`last_seen_at < now() - interval '5 minutes'`.as('is_stale'))
    .where('token_digest', '=', digestOf(token))
    .where('users.disabled_at', 'is', null)
    .where(isAlive)
    .executeTakeFirst()
  if (found === undefined) return null
  if (found.is_stale) await touch(found.token_digest)
  return { id: found.token_digest, userId: found.user_id, name: found.name, roles: found.roles }
}

/** Signs a user in: a new session under a new token, and an end to the one the browser came with. */
export async function startSession(req: Request, userId: number): Promise<void> {
  await deleteSession(req)
  await deleteExpired(userId)
  const token = randomBytes(32).toString('base64url')
  await database()
    .insertInto('sessions')
    .values({ token_digest: digestOf(token), user_id: userId, user_agent: userAgent(req) })
    .execute()
  await setSessionToken(req, token)
  forgetPolicyContext(req)
}

/** Signs the browser out. */
export async function endSession(req: Request): Promise<void> {
  await deleteSession(req)
  await clearSessionToken(req)
  forgetPolicyContext(req)
}

async function deleteSession(req: Request): Promise<void> {
  const token = await sessionToken(req)
  if (token === null) return
  await database().deleteFrom('sessions').where('token_digest', '=', digestOf(token)).execute()
}

async function deleteExpired(userId: number): Promise<void> {
  const ended = database().deleteFrom('sessions').where('user_id', '=', userId)
  await ended.where((is) => is.not(isAlive)).execute()
}

// Written at most every five minutes: a read of a page should not be a write.
async function touch(digest: string): Promise<void> {
  await database()
    .updateTable('sessions')
    .set({ last_seen_at: sql`now()` })
    .where('token_digest', '=', digest)
    .execute()
}

/** Idle for less than a day, and begun no longer ago than a session may last. */
export const isAlive = sql<boolean>`(last_seen_at > now() - interval '24 hours'
  and sessions.created_at > now() - make_interval(secs => ${SESSION_LIFETIME}))`

const userAgent = (req: Request) => (req.get('user-agent') ?? '').slice(0, 200)

const digestOf = (token: string) => createHash('sha256').update(token).digest('hex')
