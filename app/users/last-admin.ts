import { sql } from 'kysely'
import { database, inTransaction } from 'pergola'

export const LAST_ADMIN = 'This is the last admin. Make somebody else an admin first.'

/**
 * Does `work`, which takes this user's administering away, in a transaction. False, and nothing is done, when nobody
 * else is an admin who may sign in.
 */
export function unlessLastAdmin(id: number, work: () => Promise<void>): Promise<boolean> {
  return inTransaction(async () => {
    // One at a time: of two who demote each other at the same moment, the second waits and counts one admin less.
    await sql`select pg_advisory_xact_lock(hashtext('the last admin'))`.execute(database())
    const admins = await enabledAdmins()
    if (admins.length === 1 && admins[0]?.id === id) return false
    await work()
    return true
  })
}

const enabledAdmins = () =>
  database()
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`'admin' = any(roles)`)
    .where('disabled_at', 'is', null)
    .execute()
