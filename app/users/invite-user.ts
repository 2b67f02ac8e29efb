import { database, inTransaction, Invalid, type Role } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { SqlState, sqlState } from 'pergola/database'
import { send } from 'pergola/mail'
import { createToken, deleteTokensOf, type NewToken } from '#app/account-tokens/account-tokens.ts'
import { invitation } from '#app/mails/invitation.ts'
import { randomDigest } from './password.ts'
import { users } from './user.repository.ts'
import type { User } from './user.ts'

interface NewUser {
  readonly name: string
  /** In lower case. */
  readonly email: string
  readonly roles: readonly Role[]
}

/** Delivers the token of an invitation, by mail for example. */
export type Deliver = (to: { name: string; email: string }, link: NewToken) => Promise<void>

/** Creates a user without a known password, and delivers the invitation. Returns null if the address has an account. */
export async function invite({ name, email, roles }: NewUser, deliver: Deliver): Promise<User | null> {
  try {
    return await inTransaction(async () => {
      const values = { name, email, roles: [...roles], password_digest: randomDigest() }
      const user = await users.asSystem('invitation').insert(values)
      await recordEvent('account-created', { target: user.id })
      for (const role of roles) await recordEvent('role-granted', { target: user.id, detail: role })
      await inviteAgain(user.id, deliver)
      return user
    })
  } catch (error) {
    if (sqlState(error) === SqlState.uniqueViolation) return null
    throw error
  }
}

/**
 * Delivers a new link, ends the earlier ones, and replaces the name and the address if they are passed. Returns false if the user has verified
 * the address already, or is disabled: the link would let its reader set the password. Also returns false for a new address of a user who ever signed in:
 * the account would change hands. Throws `Invalid` for an address with an account.
 */
export function inviteAgain(
  userId: number,
  deliver: Deliver,
  corrected: { name?: string; email?: string } = {},
): Promise<boolean> {
  return inTransaction(async () => {
    const user = await database()
      .selectFrom('users')
      .select(['name', 'email'])
      .where('id', '=', userId)
      .where('email_verified_at', 'is', null)
      .where('disabled_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (user === undefined) return false
    const { name, email } = { ...user, ...corrected }
    if (email !== user.email && (await hasSignedIn(userId))) return false
    if (name !== user.name || email !== user.email)
      await users.asSystem('invitation').update(userId, { name, email }).catch(rethrowTaken)
    if (email !== user.email) await recordEvent('address-changed', { target: userId })
    await deleteTokensOf(userId)
    const link = await createToken({ purpose: 'invitation', userId, address: email })
    await recordEvent('account-invited', { target: userId })
    await deliver({ name, email }, link)
    return true
  })
}

/** Whether a session or an event shows that the user signed in. */
async function hasSignedIn(userId: number): Promise<boolean> {
  const session = database().selectFrom('sessions').select('id').where('user_id', '=', userId).limit(1)
  const event = database()
    .selectFrom('security_events')
    .select('id')
    .where('target_id', '=', userId)
    .where('kind', '=', 'sign-in')
    .limit(1)
  return ((await session.executeTakeFirst()) ?? (await event.executeTakeFirst())) !== undefined
}

function rethrowTaken(error: unknown): never {
  throw sqlState(error) === SqlState.uniqueViolation ? new Invalid([ADDRESS_TAKEN]) : error
}

/** The error of a form. */
export const ADDRESS_TAKEN = {
  field: 'email',
  messages: ['An account with this email address already exists.'],
}

/** Returns a function that mails the invitation. `linkOf` returns the link of a token. */
export const byMail =
  (inviter: string | null, linkOf: (token: string) => string): Deliver =>
  ({ name, email }, { token, expiresAt }) =>
    send(invitation, { to: email, data: { name, inviter, link: linkOf(token) } }, { expiresAt })
