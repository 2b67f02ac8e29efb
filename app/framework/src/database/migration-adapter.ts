import { PostgresAdapter, PostgresDialect } from 'kysely'

/**
 * Disables Kysely's own lock for migrations. That lock belongs to a session, which a connection pooler keeps open after
 * the process has ended, and other processes wait an hour for it. `run-migrations.ts` uses a lock of the transaction.
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
