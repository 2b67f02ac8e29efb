import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('task_runs')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('task', 'text', (column) => column.notNull())
    .addColumn('args', 'jsonb', (column) => column.notNull())
    .addColumn('dry_run', 'boolean', (column) => column.notNull())
    .addColumn('continues_id', 'bigint', (column) => column.references('task_runs.id').onDelete('set null'))
    .addColumn('started_by', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('heartbeat_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('ended_at', 'timestamptz')
    .addColumn('outcome', 'text')
    .addColumn('rows', 'bigint')
    .addColumn('share', 'double precision')
    .addColumn('position', 'text')
    .addColumn('error', 'text')
    .addCheckConstraint('task_runs_outcome', sql`outcome in ('done', 'failed', 'interrupted', 'lost')`)
    .addCheckConstraint('task_runs_ended', sql`(outcome is null) = (ended_at is null)`)
    .execute()
  await db.schema.createIndex('task_runs_task_id').on('task_runs').columns(['task', 'id']).execute()
  await db.schema.createIndex('task_runs_continues_id').on('task_runs').column('continues_id').execute()

  await db.schema
    .createTable('task_leases')
    .addColumn('task', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'bigint', (column) =>
      column.notNull().references('task_runs.id').onDelete('cascade'),
    )
    .addColumn('machine', 'text')
    .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('task_leases_run_id').on('task_leases').column('run_id').execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('task_leases').execute()
  await db.schema.dropTable('task_runs').execute()
}
