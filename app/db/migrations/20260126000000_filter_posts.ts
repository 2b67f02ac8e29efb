import type { Kysely } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('posts_published_filter')
    .ifNotExists()
    .on('posts')
    .columns(['published', 'id'])
    .execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropIndex('posts_published_filter').ifExists().execute()
}
