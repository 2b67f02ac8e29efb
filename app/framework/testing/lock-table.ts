import { type Kysely, sql } from 'kysely'
import type { Tables } from '../src/resource/tables.ts'

/**
 * Locks a table, so that other statements wait for it. Returns a function that releases the lock.
 *
 * ```ts
 * const release = await lockTable(db, 'posts')
 * const response = client.get('/posts')
 * await lockWait(db)
 * await release()
 * ```
 */
export async function lockTable(db: Kysely<Tables>, table: string): Promise<() => Promise<void>> {
  const transaction = await db.startTransaction().execute()
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction)
  return () => transaction.commit().execute()
}
