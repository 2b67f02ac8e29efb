import { type Authorized, InUse, Invalid } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { deleteTokensOf } from '#app/account-tokens/account-tokens.ts'
import { LAST_ADMIN, unlessLastAdmin } from '#app/users/last-admin.ts'
import { users } from '#app/users/user.repository.ts'
import type { User } from '#app/users/user.ts'

/**
 * Deletes the user, their sessions and their links. `first` runs before, in the same transaction. Throws `Invalid`, and deletes nothing, for the last admin
 * and for a user who still has records.
 */
export async function deleteUser(
  user: Authorized<'delete' | 'administer', typeof User>,
  first: () => Promise<void>,
): Promise<void> {
  const remove = async () => {
    await first()
    await users.delete(user)
    await deleteTokensOf(user.id)
    await recordEvent('account-deleted', { target: user.id })
  }
  const isDone = await unlessLastAdmin(user.id, remove).catch((error: unknown) => {
    if (!(error instanceof InUse)) throw error
    const { table } = error.cause as { table?: unknown }
    throw refused(`The account still has ${String(table).replaceAll('_', ' ')}. Nothing was deleted.`)
  })
  if (!isDone) throw refused(LAST_ADMIN)
}

const refused = (message: string) => new Invalid([{ field: '', messages: [message] }])
