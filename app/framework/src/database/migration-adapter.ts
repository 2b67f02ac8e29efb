import { PostgresAdapter, PostgresDialect } from 'kysely'

/**
 * Kysely's own lock for migrations belongs to a session, and waits for an hour: behind a pooler it outlives whoever
 * took it, and a migration that fails in a transaction can't give it back. Ours is the transaction's, see migrate.ts.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** Postgres, where whoever migrates sees to it that they are the only one. */
export class Postgres extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter()
  }
}
