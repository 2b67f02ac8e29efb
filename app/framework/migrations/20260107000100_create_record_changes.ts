import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('record_changes')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('record_id', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    // No foreign key: the changes of a deleted user are kept.
    .addColumn('actor_id', 'bigint')
    .addColumn('system', 'text')
    .addColumn('request_id', 'text')
    .addColumn('changes', 'jsonb', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addCheckConstraint(
      'record_changes_action',
      sql`action in ('create', 'update', 'delete', 'restore', 'purge')`,
    )
    .execute()
  await db.schema
    .createIndex('record_changes_record')
    .on('record_changes')
    .columns(['resource', 'record_id', 'id'])
    .execute()
  // For the task that deletes old rows.
  await db.schema.createIndex('record_changes_created_at').on('record_changes').column('created_at').execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('record_changes').execute()
}
