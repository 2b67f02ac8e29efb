import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('sessions')
    // The SHA-256 of the token in the cookie: a leaked table contains no usable token.
    .addColumn('token_digest', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('last_seen_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute()
  await db.schema.createIndex('sessions_user_id').on('sessions').column('user_id').execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('sessions').execute()
}
