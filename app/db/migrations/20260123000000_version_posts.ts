import type { Kysely } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('posts')
    // Detects concurrent edits of the same post.
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('posts').dropColumn('version').execute()
}
