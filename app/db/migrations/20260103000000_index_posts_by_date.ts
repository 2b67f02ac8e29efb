import type { Kysely } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.createIndex('posts_created_at_id').on('posts').columns(['created_at', 'id']).execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropIndex('posts_created_at_id').execute()
}
