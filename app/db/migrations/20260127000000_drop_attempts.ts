import type { Kysely } from 'kysely'

// Earlier versions created this table, and the last of them wrote to another one already: `rate_limits`.
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('attempts').ifExists().execute()
}

export async function down(): Promise<void> {}
