import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { Tables } from '../src/resource/tables.ts'

/**
 * Resolves as soon as exactly `waiters` statements of this database wait for a lock. Fails after ten seconds. Pass a
 * pool, not a transaction, in which `pg_stat_activity` doesn't change.
 *
 * ```ts
 * const second = posts.asSystem('test').update(1, { title: 'B' }) // while a transaction holds row 1
 * await lockWait(db)
 * ```
 */
export async function lockWait(db: Kysely<Tables>, waiters = 1): Promise<void> {
  const waiting = sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const count = async () => (await waiting.execute(db)).rows.length
  await expect.poll(count, { timeout: 10_000, interval: 10 }).toBe(waiters)
}
