import { hash, randomBytes } from 'node:crypto'
import type { Request } from 'express'
import { type ColumnType, type Generated, sql } from 'kysely'
import { database, type Session } from 'pergola'
import { clearSessionToken, forgetPolicyContext, sessionToken, setSessionToken } from 'pergola/accounts'
import { rowByKey } from 'pergola/database'
import { configOf } from '#app/config-of.ts'
import { isAlive, isStale, type SessionLimits } from './session-limits.ts'

export interface SessionTable {
  /** SHA-256 of the token in the cookie. */
  token_digest: string
  /** The id for pages, which don't contain the digest. */
  id: Generated<number>
  user_id: number
  created_at: ColumnType<string, string | undefined, never>
  last_seen_at: ColumnType<string, string | undefined, string>
  /** When the user last entered the password, or signed in otherwise. Null: unknown. */
  confirmed_at: ColumnType<string | null, string | undefined, string>
  /** The User-Agent header at sign-in, truncated to 200 characters. */
  user_agent: ColumnType<string, string | undefined, never>
}

declare module 'pergola' {
  interface Tables {
    sessions: SessionTable
  }
}

/**
 * Returns the session of the request's cookie, by one indexed query; null for a guest, an ended session or a disabled
 * user.
 */
export async function findSession(req: Request): Promise<Session | null> {
  const token = await sessionToken(req)
  if (token === null) return null
  const limits = configOf(req).session
  let sessionByDigest = finders.get(limits)
  if (sessionByDigest === undefined) {
    // Created here, because the security manifest records the code of this function.
    sessionByDigest = rowByKey('token_digest', (digests) =>
      database()
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select(['token_digest', 'user_id', 'users.name', 'users.roles'])
        .select((is) => is('users.email_verified_at', 'is not', null).$castTo<boolean>().as('verified'))
        .select(sql<number | null>`extract(epoch from now() - confirmed_at)::int`.as('confirmed_seconds_ago'))
        .select(isStale(limits).as('is_stale'))
        .where('token_digest', 'in', digests)
        .where('users.disabled_at', 'is', null)
        .where(isAlive(limits)),
    )
    finders.set(limits, sessionByDigest)
  }
  const row = await sessionByDigest(digestOf(token))
  if (row === undefined) return null
  if (row.is_stale) await touch(row.token_digest)
  return {
    id: row.token_digest,
    userId: row.user_id,
    name: row.name,
    roles: row.roles,
    verified: row.verified,
    confirmedSecondsAgo: row.confirmed_seconds_ago,
  }
}

interface SessionRow {
  token_digest: string
  user_id: number
  name: string
  roles: string[]
  verified: boolean
  confirmed_seconds_ago: number | null
  is_stale: boolean
}

const finders = new WeakMap<SessionLimits, (digest: string) => Promise<SessionRow | undefined>>()

/** Signs a user in with a new session and a new token. Ends the session that the request came with. */
export async function startSession(req: Request, userId: number): Promise<void> {
  await deleteSession(req)
  await deleteExpired(req, userId)
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

async function deleteExpired(req: Request, userId: number): Promise<void> {
  const ended = database().deleteFrom('sessions').where('user_id', '=', userId)
  await ended.where((is) => is.not(isAlive(configOf(req).session))).execute()
}

async function touch(digest: string): Promise<void> {
  await database()
    .updateTable('sessions')
    .set({ last_seen_at: sql`now()` })
    .where('token_digest', '=', digest)
    .execute()
}

const userAgent = (req: Request) => (req.get('user-agent') ?? '').slice(0, 200)

const digestOf = (token: string) => hash('sha256', token)
