import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.createIndex('users_name_sort').ifNotExists().on('users').columns(['name', 'id']).execute()
  await db.schema
    .createIndex('users_created_at_sort')
    .ifNotExists()
    .on('users')
    .columns(['created_at', 'id'])
    .execute()
  // Trigrams find the words of a search anywhere in a column. Without the extension, searches read the whole table:
  // `npx cli doctor` prints the statements.
  await sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index if not exists users_name_search on users using gin (name gin_trgm_ops);
    exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
      raise warning 'Searches have no index: %', sqlerrm;
    end $$`.execute(db)
}

export async function down(db: Kysely<never>): Promise<void> {
  for (const name of ['users_name_search', 'users_created_at_sort', 'users_name_sort'])
    await db.schema.dropIndex(name).ifExists().execute()
}
