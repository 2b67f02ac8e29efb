import { randomBytes } from 'node:crypto'
import { database, inTransaction, recordEvent, type Role, SqlState, sqlState } from 'pergola'
import { send } from 'pergola/mail'
import { createToken, deleteTokensOf } from '#app/account-tokens/account-tokens.ts'
import { invitation } from '#app/mails/invitation.ts'
import { hashPassword } from './password.ts'
import { users } from './user.repository.ts'
import type { User } from './user.ts'

interface NewUser {
  readonly name: string
  /** In lower case. */
  readonly email: string
  readonly roles: readonly Role[]
}

/** Delivers the token of an invitation, by mail for example. */
export type Deliver = (to: { name: string; email: string }, token: string) => Promise<void>

/** Creates a user without a known password, and delivers the invitation. Returns null if the address has an account. */
export async function invite({ name, email, roles }: NewUser, deliver: Deliver): Promise<User | null> {
  const password_digest = await hashPassword(randomBytes(32).toString('base64url'))
  try {
    return await inTransaction(async () => {
      const values = { name, email, roles: [...roles], password_digest }
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
 * Delivers a new link, and ends the earlier ones. Returns false if the user has verified the address already, or is
 * disabled: the link would let its reader set the password.
 */
export function inviteAgain(userId: number, deliver: Deliver): Promise<boolean> {
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
    await deleteTokensOf(userId)
    const token = await createToken({ purpose: 'invitation', userId, address: user.email })
    await recordEvent('account-invited', { target: userId })
    await deliver(user, token)
    return true
  })
}

/** Returns a function that mails the invitation. `linkOf` returns the link of a token. */
export const byMail =
  (inviter: string | null, linkOf: (token: string) => string): Deliver =>
  ({ name, email }, token) =>
    send(invitation, { to: email, data: { name, inviter, link: linkOf(token) } })
