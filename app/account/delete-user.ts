import { type Authorized, InUse } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { deleteTokensOf } from '#app/account-tokens/account-tokens.ts'
import { formError } from '#app/users/form-error.ts'
import { LAST_ADMIN, unlessLastAdmin } from '#app/users/last-admin.ts'
import { users } from '#app/users/user.repository.ts'
import type { User } from '#app/users/user.ts'

/**
 * Deletes the user, their sessions and their links. `before` runs in the same transaction. Throws `Invalid`, and deletes
 * nothing, for the last admin and for a user who still has records.
 */
export async function deleteUser(
  user: Authorized<'delete' | 'administer', typeof User>,
  before: () => Promise<void>,
): Promise<void> {
  const isDone = await unlessLastAdmin(user.id, async () => {
    await before()
    await users.delete(user).catch(rethrowRemaining)
    await deleteTokensOf(user.id)
    await recordEvent('account-deleted', { target: user.id })
  })
  if (!isDone) throw formError(LAST_ADMIN)
}

function rethrowRemaining(error: unknown): never {
  if (!(error instanceof InUse)) throw error
  const { table } = error.cause as { table?: unknown }
  throw formError(
    `The account still has ${String(table).replaceAll('_', ' ')}. Nothing was deleted. If you don’t see them, an admin can disable the account instead.`,
  )
}
