import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  // Null in sessions that exist: their users are asked for the password.
  await db.schema.alterTable('sessions').addColumn('confirmed_at', 'timestamptz').execute()
  // Separate, because a default in `add column` fills existing rows. A sign-in counts as a confirmation.
  await db.schema
    .alterTable('sessions')
    .alterColumn('confirmed_at', (column) => column.setDefault(sql`now()`))
    .execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('sessions').dropColumn('confirmed_at').execute()
}
