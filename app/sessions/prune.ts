import { sql } from 'kysely'
import { database, inTransaction } from 'pergola'
import { isAlive } from './session.ts'
import { hasExpired } from './throttle.ts'

/** Rows per DELETE statement, so that its locks are short. */
const BATCH_SIZE = 5_000

// Selects by ctid, so that no index on the end time is needed. An updated row gets a new ctid and is not deleted.
const inBatch = (table: 'sessions' | 'attempts', isExpired: typeof hasExpired) =>
  sql<boolean>`ctid = any(array(select ctid from ${sql.table(table)} where ${isExpired} limit ${sql.lit(BATCH_SIZE)}))`

const hasEnded = sql<boolean>`not ${isAlive}`

/** Deletes a batch of ended sessions. Returns how many. */
export const deleteExpiredSessions = (): Promise<number> =>
  inTransaction(async () => {
    const expired = database().deleteFrom('sessions').where(inBatch('sessions', hasEnded)).where(hasEnded)
    return Number((await expired.executeTakeFirst()).numDeletedRows)
  })

/** Deletes a batch of expired attempt counters. Returns how many. */
export const deleteExpiredAttempts = (): Promise<number> =>
  inTransaction(async () => {
    const expired = database().deleteFrom('attempts').where(inBatch('attempts', hasExpired)).where(hasExpired)
    return Number((await expired.executeTakeFirst()).numDeletedRows)
  })

/** Returns how many ended sessions and expired attempt counters exist. */
export const countExpired = async () => ({
  sessions: await count('sessions', hasEnded),
  attempts: await count('attempts', hasExpired),
})

async function count(table: 'sessions' | 'attempts', isExpired: typeof hasExpired): Promise<number> {
  const { total } = await database()
    .selectFrom(table)
    .select((is) => is.fn.countAll<string>().as('total'))
    .where(isExpired)
    .executeTakeFirstOrThrow()
  return Number(total)
}
