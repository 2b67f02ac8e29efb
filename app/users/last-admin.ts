import { sql } from 'kysely'
import { database, inTransaction } from 'pergola'

export const LAST_ADMIN =
  'This is the last active admin. First make another user with a confirmed email address an admin.'

/**
 * Runs `work` in a transaction. `work` removes the admin role from this user, or disables or deletes the user. Returns
 * false without running it if the user is the only active admin.
 */
export function unlessLastAdmin(id: number, work: () => Promise<void>): Promise<boolean> {
  return inTransaction(async () => {
    const admins = await lockActiveAdmins()
    if (admins.length === 1 && admins[0]?.id === id) return false
    await work()
    return true
  })
}

// An invited admin who never accepted can't sign in. Admins of earlier versions have no verified address, but sessions.
//
// The locks serialize these calls, so that two admins can't demote each other at the same time. A call that waited reads
// the rows again. The order prevents deadlocks.
const lockActiveAdmins = () =>
  database()
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`'admin' = any(roles)`)
    .where('disabled_at', 'is', null)
    .where((is) =>
      is.or([
        is('email_verified_at', 'is not', null),
        is.exists(is.selectFrom('sessions').select('sessions.id').whereRef('user_id', '=', 'users.id')),
      ]),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
