import { InUse, recordEvent } from 'pergola'
import { areStillValid, type Credentials } from '#app/users/credentials.ts'
import { LAST_ADMIN, unlessLastAdmin } from '#app/users/last-admin.ts'
import { users } from '#app/users/user.repository.ts'
import { type FormRejection, type OwnUser, WRONG_PASSWORD } from './own-account.ts'

/** Deletes the user and their sessions. Returns null on success, or the errors to show in the form. */
export async function deleteUser(
  user: OwnUser<'delete'>,
  credentials: Credentials,
): Promise<FormRejection | null> {
  let rejection: FormRejection | null = null
  const remove = async () => {
    // A concurrent password change ends this session, so it must not delete the account.
    if (await areStillValid(credentials)) {
      await users.delete(user)
      await recordEvent('account-deleted', { actor: user.id, target: user.id })
    } else rejection = WRONG_PASSWORD
  }
  try {
    return (await unlessLastAdmin(user.id, remove)) ? rejection : rejected(LAST_ADMIN)
  } catch (error) {
    if (!(error instanceof InUse)) throw error
    const { table } = error.cause as { table?: unknown }
    return rejected(
      `You still have ${String(table).replaceAll('_', ' ')}. Delete them before you delete your account.`,
    )
  }
}

const rejected = (message: string): FormRejection => ({
  status: 422,
  headers: {},
  errors: [{ field: '', messages: [message] }],
})
