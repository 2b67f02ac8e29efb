import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { databaseFailure } from '../database/database-failure.ts'

/** Returns whether the error means that the database can't be reached now, so that a later attempt may succeed. */
export const isUnreachable = (error: unknown): boolean => databaseFailure(error)?.status === 503

/**
 * Calls `work` again each second while the database can't be reached, and returns its result. Calls `onFailure` with
 * the first error. Throws any other error.
 */
export async function untilReachable<Result>(
  work: () => Promise<Result>,
  onFailure: (error: unknown) => void,
): Promise<Result> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error)) throw error
      if (isFirst) onFailure(error)
    }
    await sleep(1_000)
  }
}

/** Returns whether the database accepts writes: false for a standby in recovery, and for a read-only database. */
export async function acceptsWrites(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ accepts: boolean }>`
    select current_setting('transaction_read_only') = 'off' as accepts`.execute(db)
  return rows[0]?.accepts === true
}
