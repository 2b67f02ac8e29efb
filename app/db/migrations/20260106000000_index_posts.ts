import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.createIndex('posts_title_sort').ifNotExists().on('posts').columns(['title', 'id']).execute()
  // Trigrams find the words of a search anywhere in a column.
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`create index if not exists posts_title_search on posts using gin (title gin_trgm_ops)`.execute(db)
  await sql`create index if not exists posts_body_search on posts using gin (body gin_trgm_ops)`.execute(db)
}

export async function down(db: Kysely<never>): Promise<void> {
  for (const name of ['posts_body_search', 'posts_title_search', 'posts_title_sort'])
    await db.schema.dropIndex(name).ifExists().execute()
}
