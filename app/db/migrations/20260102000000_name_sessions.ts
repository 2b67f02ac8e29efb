import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    // The id that pages use: the digest never leaves the server.
    .addColumn('id', 'bigint', (column) => column.notNull().generatedAlwaysAsIdentity().unique())
    .addColumn('user_agent', 'text', (column) =>
      column
        .notNull()
        .defaultTo('')
        .check(sql`char_length(user_agent) <= 200`),
    )
    .execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('sessions').dropColumn('user_agent').dropColumn('id').execute()
}
