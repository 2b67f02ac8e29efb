import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('security_events')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('kind', 'text', (column) => column.notNull())
    // No foreign keys: the events of a deleted account are kept.
    .addColumn('actor_id', 'bigint')
    .addColumn('target_id', 'bigint')
    .addColumn('system', 'text')
    .addColumn('detail', 'text')
    .addColumn('address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('request_id', 'text')
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute()
  for (const column of ['kind', 'actor_id', 'target_id'])
    await db.schema
      .createIndex(`security_events_${column}`)
      .on('security_events')
      .columns([column, 'id'])
      .execute()
  // For the task that deletes old rows.
  await db.schema
    .createIndex('security_events_created_at')
    .on('security_events')
    .column('created_at')
    .execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('security_events').execute()
}
