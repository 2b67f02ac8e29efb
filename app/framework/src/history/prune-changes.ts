import { sql } from 'kysely'
import { executor } from '../database/executor.ts'
import './change-table.ts'

interface Age {
  /** The age in days from which changes are deleted. */
  readonly days: number
  /** The most changes to delete, so that the locks of the statement are short. */
  readonly limit: number
}

const isOlder = (days: number) => sql<boolean>`created_at < now() - make_interval(days => ${days})`

/** Deletes up to `limit` recorded changes that are older than `days`. Returns how many: repeat it while it returns `limit`. */
export async function deleteOldChanges({ days, limit }: Age): Promise<number> {
  const old = executor()
    .selectFrom('record_changes')
    .select('id')
    .where(isOlder(days))
    .orderBy('id')
    .limit(limit)
  const { numDeletedRows } = await executor()
    .deleteFrom('record_changes')
    .where('id', 'in', old)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Returns the number of recorded changes that are older than `days`. */
export async function countOldChanges(days: number): Promise<number> {
  const { total } = await executor()
    .selectFrom('record_changes')
    .select((is) => is.fn.countAll<string>().as('total'))
    .where(isOlder(days))
    .executeTakeFirstOrThrow()
  return Number(total)
}
