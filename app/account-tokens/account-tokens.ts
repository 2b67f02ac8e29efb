import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { database } from 'pergola'
import type { Purpose } from './account-token-table.ts'

/** How long a link is valid. */
const VALIDITY = {
  'sign-up': '24 hours',
  'sign-in': '15 minutes',
  password: '1 hour',
  verification: '24 hours',
  'address-change': '24 hours',
  invitation: '7 days',
} as const satisfies Record<Purpose, string>

interface TokenOptions {
  readonly purpose: Purpose
  /** Null if the account doesn't exist yet. */
  readonly userId: number | null
  /** The address that receives the link, in lower case. */
  readonly address: string
}

/** A new token for a link. */
export interface NewToken {
  readonly token: string
  readonly expiresAt: Date
}

/** Stores the digest of a new token, and returns the token. */
export async function createToken({ purpose, userId, address }: TokenOptions): Promise<NewToken> {
  const token = randomBytes(32).toString('base64url')
  const expiry = sql<string>`now() + ${VALIDITY[purpose]}::interval`
  const { expires_at } = await database()
    .insertInto('account_tokens')
    .values({ digest: digestOf(token), purpose, user_id: userId, address, expires_at: expiry })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { token, expiresAt: new Date(expires_at) }
}

/** A valid token, with its user. */
export interface AccountToken {
  /** The address that received the link. */
  readonly address: string
  /** Null for a sign-up. */
  readonly user: TokenUser | null
}

export interface TokenUser {
  readonly id: number
  readonly name: string
  /** The current address, which differs from that of the token for a change of address. */
  readonly email: string
  readonly roles: readonly string[]
  readonly isVerified: boolean
  /** Whether the user has an invitation that is still valid. */
  readonly isInvited: boolean
}

/**
 * Returns a token with its user, and changes nothing. Returns null for a token that is unknown, used, expired or of
 * another purpose, and if its user is disabled, has another address now, or isn't the one with the id `ownerId`.
 */
export async function findToken(
  purpose: Purpose,
  token: string,
  ownerId?: number,
): Promise<AccountToken | null> {
  const row = await database()
    .selectFrom('account_tokens as token')
    .leftJoin('users', 'users.id', 'token.user_id')
    .select([
      'token.address',
      'users.id',
      'users.name',
      'users.email',
      'users.roles',
      'users.email_verified_at',
    ])
    .select((is) => is.exists(openInvitation()).$castTo<boolean>().as('isInvited'))
    .where('token.digest', '=', digestOf(token))
    .where('token.purpose', '=', purpose)
    .where('token.expires_at', '>', sql<string>`now()`)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || (ownerId !== undefined && row.id !== ownerId)) return null
  const { address, id, name, email, roles, email_verified_at, isInvited } = row
  if (id === null || name === null || email === null || roles === null)
    return purpose === 'sign-up' ? { address, user: null } : null
  if (purpose !== 'address-change' && email !== address) return null
  return { address, user: { id, name, email, roles, isVerified: email_verified_at !== null, isInvited } }
}

const openInvitation = () =>
  database()
    .selectFrom('account_tokens as invitation')
    .select('invitation.digest')
    .where('invitation.user_id', '=', sql.ref<number>('users.id'))
    .where('invitation.purpose', '=', 'invitation')
    .where('invitation.expires_at', '>', sql<string>`now()`)

/**
 * Deletes a token and returns it with its user, whose row is locked. Returns null if `findToken` does, so that a token
 * is used once. Call it in the transaction of the change.
 */
export async function takeToken(
  purpose: Purpose,
  token: string,
  ownerId?: number,
): Promise<AccountToken | null> {
  // The user first, in the order of a change of the password, which deletes the user's tokens: no deadlock.
  await lockUserOf(token)
  const found = await findToken(purpose, token, ownerId)
  if (found === null) return null
  const { numDeletedRows } = await database()
    .deleteFrom('account_tokens')
    .where('digest', '=', digestOf(token))
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n ? found : null
}

async function lockUserOf(token: string): Promise<void> {
  await database()
    .selectFrom('users')
    .select('id')
    .where('id', '=', (is) =>
      is.selectFrom('account_tokens').select('user_id').where('digest', '=', digestOf(token)),
    )
    .forNoKeyUpdate()
    .execute()
}

/** Deletes all tokens of a user, so that no link that was sent before works. */
export async function deleteTokensOf(userId: number): Promise<void> {
  await database().deleteFrom('account_tokens').where('user_id', '=', userId).execute()
}

/** Deletes the sign-up tokens of an address. Call it after the account was created. */
export async function deleteSignUpTokens(address: string): Promise<void> {
  const tokens = database().deleteFrom('account_tokens').where('address', '=', address)
  await tokens.where('user_id', 'is', null).execute()
}

const digestOf = (token: string) => hash('sha256', token)
