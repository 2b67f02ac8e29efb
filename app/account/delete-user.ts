import { InUse } from 'pergola'
import { type Credentials, stillHold } from '#app/users/credentials.ts'
import { LAST_ADMIN, unlessLastAdmin } from '#app/users/last-admin.ts'
import { users } from '#app/users/user.repository.ts'
import { type FormRefusal, type OwnUser, WRONG_PASSWORD } from './own-account.ts'

/** Null when the user is gone, and every session with them; else a refusal. */
export async function deleteUser(
  user: OwnUser<'delete'>,
  credentials: Credentials,
): Promise<FormRefusal | null> {
  let refusal: FormRefusal | null = null
  const remove = async () => {
    // Whoever changed the password meanwhile, and ended this session, keeps the account.
    if (await stillHold(credentials)) await users.delete(user)
    else refusal = WRONG_PASSWORD
  }
  try {
    return (await unlessLastAdmin(user.id, remove)) ? refusal : refused(LAST_ADMIN)
  } catch (error) {
    if (!(error instanceof InUse)) throw error
    const { table } = error.cause as { table?: unknown }
    return refused(
      `You still have ${String(table).replaceAll('_', ' ')}. Delete them first, then your account.`,
    )
  }
}

const refused = (sentence: string): FormRefusal => ({
  status: 422,
  headers: {},
  errors: [{ field: '', messages: [sentence] }],
})
