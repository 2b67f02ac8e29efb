import { PostgresAdapter, PostgresDialect } from 'kysely'

/**
 * Disables Kysely's own lock for migrations. It belongs to a session and waits for an hour, so that behind a pooler
 * it outlives the process that took it. `run-migrations.ts` takes a lock that belongs to the transaction.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** The Postgres dialect without Kysely's lock for migrations. */
export class Postgres extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter()
  }
}
