import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { executor } from '../database/executor.ts'
import { inTransaction } from '../database/transaction.ts'

/** Outdated rows of a table with the column `created_at`. */
interface OldRows {
  readonly table: string
  /** The column of its primary key. */
  readonly key: string
  readonly isOld: RawBuilder<SqlBool>
}

/** Rows per DELETE statement, so that its locks are short. */
const BATCH_SIZE = 5_000

/** Deletes a batch of old rows. Returns how many: 0 if none is left. */
export const deleteOldRows = ({ table, key, isOld }: OldRows): Promise<number> =>
  inTransaction(async () => {
    const [rows, keys] = [sql.table(table), sql.ref(key)]
    const batch = sql`select ${keys} from ${rows} where ${isOld} order by created_at limit ${BATCH_SIZE}`
    const { numAffectedRows } = await sql`delete from ${rows}
      where ${keys} = any(array(${batch})) and ${isOld}`.execute(executor())
    return Number(numAffectedRows)
  })

/** Returns the number of old rows. */
export async function countOldRows({ table, isOld }: OldRows): Promise<number> {
  const counting = sql<{
    total: number
  }>`select count(*)::int as total from ${sql.table(table)} where ${isOld}`
  return (await counting.execute(executor())).rows[0]?.total ?? 0
}
