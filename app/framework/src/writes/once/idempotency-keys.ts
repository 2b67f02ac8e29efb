import { type ColumnType, sql } from 'kysely'
import { executor } from '../../database/executor.ts'
import { countOldRows, deleteOldRows } from '../../rows/old-rows.ts'
import type { RecordId } from '../../resource/tables.ts'

export interface IdempotencyKeyTable {
  /** The digest of the user, the path, the request's key and the write. */
  key: Buffer
  /** The digest of the request's query and body. */
  content: Buffer
  /** The ids of the written records. Null until the records are written. */
  ids: ColumnType<RecordId[] | null, never, string | null>
  created_at: ColumnType<string, never, unknown>
}

declare module 'pergola' {
  interface Tables {
    idempotency_keys: IdempotencyKeyTable
  }
}

const hasExpired = sql<boolean>`idempotency_keys.created_at < now() - interval '24 hours'`

/**
 * Stores the key in the open transaction. Returns false if a committed write has it. If another open transaction has it,
 * waits for the end of that transaction.
 */
export async function claimKey(key: Buffer, content: Buffer): Promise<boolean> {
  const claimed = await executor()
    .insertInto('idempotency_keys')
    .values({ key, content })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ content, ids: null, created_at: sql`now()` })
        .where(hasExpired),
    )
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}

/** Stores the ids of the written records with a key of this transaction. */
export async function storeIds(key: Buffer, ids: readonly RecordId[]): Promise<void> {
  const row = executor().updateTable('idempotency_keys').where('key', '=', key)
  await row.set({ ids: JSON.stringify(ids) }).execute()
}

/** Returns the committed write with this key. */
export async function storedWrite(key: Buffer): Promise<{ ids: RecordId[]; content: Buffer }> {
  const row = executor().selectFrom('idempotency_keys').where('key', '=', key)
  const { ids, content } = await row.select(['ids', 'content']).executeTakeFirstOrThrow()
  return { ids: ids ?? [], content }
}

const expired = { table: 'idempotency_keys', key: 'key', isOld: hasExpired }

/** Deletes a batch of idempotency keys that are older than 24 hours. Returns how many: 0 if none is left. */
export const deleteExpiredKeys = (): Promise<number> => deleteOldRows(expired)

/** Returns how many idempotency keys are older than 24 hours. */
export const countExpiredKeys = (): Promise<number> => countOldRows(expired)
