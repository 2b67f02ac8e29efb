import { type RawBuilder, sql } from 'kysely'
import { database, inTransaction } from 'pergola'
import { isAlive, type SessionLimits } from './session-limits.ts'

/** Rows per DELETE statement, so that its locks are short. */
const BATCH_SIZE = 5_000

const KEYS = { sessions: 'token_digest', rate_limits: 'key', account_tokens: 'digest' } as const

// Selects the keys first, so that no index on the end time is needed.
const inBatch = (table: keyof typeof KEYS, isExpired: RawBuilder<boolean>) =>
  sql<boolean>`${sql.ref(KEYS[table])} = any(array(
    select ${sql.ref(KEYS[table])} from ${sql.table(table)} where ${isExpired} limit ${sql.lit(BATCH_SIZE)}))`

const hasEnded = (limits: SessionLimits) => sql<boolean>`not ${isAlive(limits)}`

/** An hour later, because the clocks of the servers, which set `expire`, may differ from that of Postgres. */
const hasExpired = sql<boolean>`expire < extract(epoch from now() - interval '1 hour') * 1000`

const isOver = sql<boolean>`expires_at < now()`

/** Deletes a batch of ended sessions. Returns how many. */
export const deleteExpiredSessions = (limits: SessionLimits): Promise<number> =>
  deleteBatch('sessions', hasEnded(limits))

/** Deletes a batch of expired counters of rate limits. Returns how many. */
export const deleteExpiredCounters = (): Promise<number> => deleteBatch('rate_limits', hasExpired)

/** Deletes a batch of the expired tokens of links in mails. Returns how many. */
export const deleteExpiredTokens = (): Promise<number> => deleteBatch('account_tokens', isOver)

const deleteBatch = (table: keyof typeof KEYS, isExpired: RawBuilder<boolean>): Promise<number> =>
  inTransaction(async () => {
    const expired = database().deleteFrom(table).where(inBatch(table, isExpired)).where(isExpired)
    return Number((await expired.executeTakeFirst()).numDeletedRows)
  })

/** Returns how many ended sessions, expired counters and expired tokens exist. */
export const countExpired = async (limits: SessionLimits) => ({
  sessions: await count('sessions', hasEnded(limits)),
  counters: await count('rate_limits', hasExpired),
  tokens: await count('account_tokens', isOver),
})

async function count(table: keyof typeof KEYS, isExpired: RawBuilder<boolean>): Promise<number> {
  const { total } = await database()
    .selectFrom(table)
    .select((is) => is.fn.countAll<string>().as('total'))
    .where(isExpired)
    .executeTakeFirstOrThrow()
  return Number(total)
}
