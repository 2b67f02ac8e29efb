import type { Request } from 'express'
import { database, inTransaction, type Session, Unauthorized } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { SqlState, sqlState } from 'pergola/database'
import { send } from 'pergola/mail'
import { createToken, deleteTokensOf, takeToken } from '#app/account-tokens/account-tokens.ts'
import { absoluteUrl, linkTo } from '#app/account-tokens/links.ts'
import { addressChange } from '#app/mails/address-change.ts'
import { addressChanged } from '#app/mails/address-changed.ts'
import { addressTaken } from '#app/mails/address-taken.ts'
import { endOtherSessions, isStillOpen } from '#app/sessions/user-sessions.ts'
import { users } from '#app/users/user.repository.ts'
import type { User } from '#app/users/user.ts'

interface AddressChange {
  readonly user: User
  readonly session: Session
  /** The new address. */
  readonly address: string
}

/**
 * Mails a link to the new address, or a notice if it belongs to another account. Both take the same statements, so that
 * the response doesn't reveal which addresses have an account. Throws `Unauthorized` if the session has ended meanwhile.
 */
export function mailAddressLink(req: Request, { user, session, address }: AddressChange): Promise<void> {
  return inTransaction(async () => {
    // A concurrent change of the password ends this session and deletes the tokens of links.
    if (!(await isStillOpen(session))) throw new Unauthorized()
    const purpose = 'address-change'
    const { token, expiresAt } = await createToken({ purpose, userId: user.id, address })
    await recordEvent('link-requested', { target: user.id, detail: purpose })
    if (await isTaken(address)) {
      const sign_in = absoluteUrl(req, '/login')
      const reset = absoluteUrl(req, '/password-reset')
      await send(addressTaken, { to: address, data: { sign_in, reset } }, { expiresAt })
    } else {
      const link = linkTo(req, { purpose, token })
      await send(addressChange, { to: address, data: { link } }, { expiresAt })
    }
  })
}

async function isTaken(address: string): Promise<boolean> {
  const owner = database().selectFrom('users').select('id').where('email', '=', address)
  return (await owner.executeTakeFirst()) !== undefined
}

/**
 * Replaces the address by that of the link, ends the user's other sessions and links, and mails a notice to the former
 * address, if it was verified. Returns the new address, or null if the link is not valid, belongs to another user, or if the
 * address was taken meanwhile.
 */
export async function changeAddress(token: string, session: Session): Promise<string | null> {
  const { userId } = session
  try {
    return await inTransaction(async () => {
      const link = await takeToken('address-change', token, userId)
      if (!link?.user) return null
      const { name, email: formerAddress, isVerified } = link.user
      const email_verified_at = new Date().toISOString()
      await users.asSystem('address-change').update(userId, { email: link.address, email_verified_at })
      await endOtherSessions(session)
      await deleteTokensOf(userId)
      await recordEvent('address-changed', { target: userId })
      if (isVerified) await send(addressChanged, { to: formerAddress, data: { name } })
      return link.address
    })
  } catch (error) {
    if (sqlState(error) === SqlState.uniqueViolation) return null
    throw error
  }
}
