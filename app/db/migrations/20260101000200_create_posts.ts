import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('posts')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('published', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('author_id', 'bigint', (column) =>
      column.notNull().references('users.id').onDelete('restrict'),
    )
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addCheckConstraint('posts_title_length', sql`char_length(title) between 1 and 200`)
    .execute()
  await db.schema.createIndex('posts_author_id').on('posts').column('author_id').execute()
  await db.schema.createIndex('posts_created_at_id').on('posts').columns(['created_at', 'id']).execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('posts').execute()
}
