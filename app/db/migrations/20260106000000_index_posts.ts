import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.createIndex('posts_title_sort').ifNotExists().on('posts').columns(['title', 'id']).execute()
  // Trigrams find the words of a search anywhere in a column. Without the extension, searches read the whole table:
  // `npx cli doctor` prints the statements.
  await sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index if not exists posts_title_search on posts using gin (title gin_trgm_ops);
      create index if not exists posts_body_search on posts using gin (body gin_trgm_ops);
    exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
      raise warning 'Searches have no index: %', sqlerrm;
    end $$`.execute(db)
}

export async function down(db: Kysely<never>): Promise<void> {
  for (const name of ['posts_body_search', 'posts_title_search', 'posts_title_sort'])
    await db.schema.dropIndex(name).ifExists().execute()
}
