import { InUse, type Session, Unauthorized } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { deleteTokensOf } from '#app/account-tokens/account-tokens.ts'
import { isStillOpen } from '#app/sessions/user-sessions.ts'
import { LAST_ADMIN, unlessLastAdmin } from '#app/users/last-admin.ts'
import { users } from '#app/users/user.repository.ts'
import type { OwnUser } from './own-account.ts'

/** Deletes the user, their sessions and their links. Returns null on success, or why the account can't be deleted. */
export async function deleteUser(user: OwnUser<'delete'>, session: Session): Promise<string | null> {
  const remove = async () => {
    // A concurrent password change ends this session, so it must not delete the account.
    if (!(await isStillOpen(session))) throw new Unauthorized()
    await users.delete(user)
    await deleteTokensOf(user.id)
    await recordEvent('account-deleted', { actor: user.id, target: user.id })
  }
  try {
    return (await unlessLastAdmin(user.id, remove)) ? null : LAST_ADMIN
  } catch (error) {
    if (!(error instanceof InUse)) throw error
    const { table } = error.cause as { table?: unknown }
    return `You still have ${String(table).replaceAll('_', ' ')}. Delete them before you delete your account.`
  }
}
