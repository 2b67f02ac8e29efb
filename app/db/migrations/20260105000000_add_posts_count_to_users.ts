import type { Kysely } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('users')
    // Older databases already have this column, from `20260104000000_create_task_runs`.
    .addColumn('posts_count', 'integer', (column) => column.ifNotExists().notNull().defaultTo(0))
    .execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('users').dropColumn('posts_count').execute()
}
