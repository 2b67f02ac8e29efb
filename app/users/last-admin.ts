import { sql } from 'kysely'
import { database, inTransaction } from 'pergola'

export const LAST_ADMIN = 'This is the last admin. Make another user an admin first.'

/**
 * Runs `work` in a transaction. `work` removes the admin role from this user, or disables or deletes the user. Returns
 * false without running it if the user is the only enabled admin.
 */
export function unlessLastAdmin(id: number, work: () => Promise<void>): Promise<boolean> {
  return inTransaction(async () => {
    const admins = await lockEnabledAdmins()
    if (admins.length === 1 && admins[0]?.id === id) return false
    await work()
    return true
  })
}

// The locks serialize these calls, so that two admins can't demote each other at the same time. A call that waited reads
// the rows again. The order prevents deadlocks.
const lockEnabledAdmins = () =>
  database()
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`'admin' = any(roles)`)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
