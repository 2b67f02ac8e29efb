import { sql } from 'kysely'
import { executor } from '../../database/executor.ts'
import { inTransaction } from '../../database/transaction.ts'
import './change-table.ts'

/** Rows per DELETE statement, so that its locks are short. */
const BATCH_SIZE = 5_000

const isOlder = (days: number) => sql<boolean>`created_at < now() - make_interval(days => ${days})`

/** Deletes a batch of recorded changes that are older than `days`. Returns how many: 0 if none is left. */
export const deleteOldChanges = (days: number): Promise<number> =>
  inTransaction(async () => {
    const batch = executor().selectFrom('record_changes').select('id').where(isOlder(days))
    const { numDeletedRows } = await executor()
      .deleteFrom('record_changes')
      .where('id', 'in', batch.orderBy('created_at').limit(BATCH_SIZE))
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  })

/** Returns the number of recorded changes that are older than `days`. */
export async function countOldChanges(days: number): Promise<number> {
  const { total } = await executor()
    .selectFrom('record_changes')
    .select((is) => is.fn.countAll<string>().as('total'))
    .where(isOlder(days))
    .executeTakeFirstOrThrow()
  return Number(total)
}
