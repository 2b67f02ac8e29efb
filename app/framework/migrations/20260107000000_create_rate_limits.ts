import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  // Unlogged, so that a counted request waits neither for the disk nor for a replica. A crash of Postgres resets the counters.
  await sql`create unlogged table rate_limits (
    key text primary key,
    points integer not null,
    -- milliseconds since 1970
    expire bigint
  )`.execute(db)
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable('rate_limits').execute()
}
