import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { Tables } from '../src/resource/tables.ts'

/**
 * Resolves as soon as that many statements wait for a lock that somebody else holds. Counts in this database alone, where
 * `pg_locks` tells of those of other tests too. Don't pass a transaction: in one, `pg_stat_activity` stands still.
 */
export const lockWait = (db: Kysely<Tables>, waiters = 1): Promise<void> =>
  expect
    .poll(
      async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows.length
      },
      { timeout: 10_000, interval: 10 },
    )
    .toBe(waiters)
