import type { Session } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { deleteTokensOf, type TokenUser } from '#app/account-tokens/account-tokens.ts'
import { endOtherSessions, endSessionsOf } from '#app/sessions/user-sessions.ts'
import { users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'

/**
 * Returns whether a stranger may have chosen the user's name and received the roles: the address was never verified, and
 * no admin sent an invitation that is still valid.
 */
export const isUnclaimed = ({ isVerified, isInvited }: TokenUser): boolean => !isVerified && !isInvited

/** The choices of the owner of the address. */
export interface Owner {
  readonly password_digest: string
  /** Replaces the name that a stranger may have chosen. Defaults to the part of the address before the `@`. */
  readonly name?: string | undefined
}

/**
 * Gives an unverified account to the owner of the address, after they opened a link. Replaces the password, and ends all
 * sessions and links. Replaces the name and removes the roles of an unclaimed account. Call it in the transaction that took
 * the token.
 */
export async function takeOver(user: TokenUser, { password_digest, name }: Owner): Promise<void> {
  const unclaimed = isUnclaimed(user)
  await users.asSystem('take-over').update(user.id, {
    password_digest,
    email_verified_at: new Date().toISOString(),
    ...(unclaimed && { name: name ?? nameIn(user.email), roles: [] }),
  })
  await recordEvent('address-verified', { actor: user.id, target: user.id })
  for (const role of unclaimed ? user.roles : [])
    await recordEvent('role-removed', { actor: user.id, target: user.id, detail: role })
  await endSessionsOf(user.id)
  await deleteTokensOf(user.id)
}

/** Marks the address of the signed-in user as verified. Ends all other sessions and all links, and keeps the rest. */
export async function verify(user: TokenUser, session: Session): Promise<void> {
  const email_verified_at = new Date().toISOString()
  await users.asSystem('verification').update(user.id, { email_verified_at })
  await recordEvent('address-verified', { target: user.id })
  await endOtherSessions(session)
  await deleteTokensOf(user.id)
}

/** Returns a name for the user of an address: `ann lee` for `ann.lee@example.org`, since a name with a dot may look like an address. */
function nameIn(email: string): string {
  const name = User.input.shape.name.safeParse(
    email
      .replace(/@[^@]*$/, '')
      .replaceAll('.', ' ')
      .slice(0, 80),
  )
  return name.success ? name.data : 'New user'
}
