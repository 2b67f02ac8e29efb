import { sql } from 'kysely'
import { database, inTransaction } from 'pergola'
import { isAlive } from './session.ts'
import { isOver } from './throttle.ts'

/** Rows that one statement deletes: few enough that nobody waits for it. */
const SOME = 5_000

// By their place in the table: neither needs an index on when it ends, and what was touched meanwhile has moved, and stays.
const some = (table: 'sessions' | 'attempts', isPast: typeof isOver) =>
  sql<boolean>`ctid = any(array(select ctid from ${sql.table(table)} where ${isPast} limit ${sql.lit(SOME)}))`

const hasEnded = sql<boolean>`not ${isAlive}`

/** Deletes some of the sessions that nobody can use any more; how many. */
export const deletePastSessions = (): Promise<number> =>
  inTransaction(async () => {
    const past = database().deleteFrom('sessions').where(some('sessions', hasEnded)).where(hasEnded)
    return Number((await past.executeTakeFirst()).numDeletedRows)
  })

/** Deletes some of the counts of attempts whose time is over; how many. */
export const deletePastAttempts = (): Promise<number> =>
  inTransaction(async () => {
    const past = database().deleteFrom('attempts').where(some('attempts', isOver)).where(isOver)
    return Number((await past.executeTakeFirst()).numDeletedRows)
  })

/** How many of both there are. */
export const countPast = async () => ({
  sessions: await count('sessions', hasEnded),
  attempts: await count('attempts', isOver),
})

async function count(table: 'sessions' | 'attempts', isPast: typeof isOver): Promise<number> {
  const { total } = await database()
    .selectFrom(table)
    .select((is) => is.fn.countAll<string>().as('total'))
    .where(isPast)
    .executeTakeFirstOrThrow()
  return Number(total)
}
