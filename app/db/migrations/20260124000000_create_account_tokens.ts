import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('users')
    // Null until the user opens a link that was sent to the address.
    .addColumn('email_verified_at', 'timestamptz')
    .execute()

  await db.schema
    .createTable('account_tokens')
    // The SHA-256 of the token in the link: a leaked table contains no usable token.
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    // No foreign key: its check would lock the user's row, and requests for links would take longer with an account.
    .addColumn('user_id', 'bigint')
    // The address that the link was sent to.
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
    .addCheckConstraint('account_tokens_address_lower', sql`address = lower(address)`)
    .execute()
  await db.schema.createIndex('account_tokens_user_id').on('account_tokens').column('user_id').execute()
  await db.schema.createIndex('account_tokens_address').on('account_tokens').column('address').execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('account_tokens').execute()
  await db.schema.alterTable('users').dropColumn('email_verified_at').execute()
}
