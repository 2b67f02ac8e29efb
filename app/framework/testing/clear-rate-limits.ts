import type { Kysely } from 'kysely'
import { forgetBlockedKeys } from '../src/features/limits/rate-limiter.ts'
import type { Tables } from '../src/resource/tables.ts'

/** Deletes all counted requests, in the database and in this process. Call it before tests that reach a limit. */
export async function clearRateLimits(db: Kysely<Tables>): Promise<void> {
  await db.deleteFrom('rate_limits').execute()
  forgetBlockedKeys()
}
