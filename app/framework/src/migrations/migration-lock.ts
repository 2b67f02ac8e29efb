import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { MIGRATION_LOCK_ID } from 'kysely/migration'
import type { Tables } from '../resource/tables.ts'
import { isCollision } from '../database/sql-states.ts'

/** How often the migrations begin, if the database ends their transaction in favour of another one. */
const ATTEMPTS = 10

/**
 * Runs `work` in one transaction, after other processes have finished migrating. The migrations wait five seconds at most
 * for a lock of their own, since all queries of the table wait for a migration that waits.
 *
 * Begins again if the transaction collides with another one: an engine that knows only stricter levels ends the
 * transactions that waited, each time that one of several processes commits. Throws after ten attempts.
 */
export async function migrateAlone<Result>(
  db: Kysely<Tables>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateLocked(db, work)
    } catch (error) {
      if (!isCollision(error)) throw error
      if (attempt === ATTEMPTS) throw new Error(COLLIDES, { cause: error })
    }
    await sleep(attempt * 20 * Math.random())
  }
}

const COLLIDES =
  `The database ended the migration ${ATTEMPTS} times, because other transactions changed the same rows or tables. ` +
  'Nothing was changed. Migrate again when no other process migrates'

async function migrateLocked<Result>(
  db: Kysely<Tables>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  await createLock(db)
  return (
    db
      .transaction()
      // At a stricter level, `work` would not see the migrations of the process that it waited for.
      .setIsolationLevel('read committed')
      .execute(async (transaction) => {
        await lockMigrations(transaction)
        await sql`set local lock_timeout = '5s'`.execute(transaction)
        return work(transaction)
      })
  )
}

/**
 * Waits without a time limit until no other process migrates or seeds, and keeps others from it until the end of this
 * transaction. The lock is that of a row: some engines have no advisory locks, and CockroachDB some that don't lock.
 */
export async function lockMigrations(transaction: Kysely<Tables>): Promise<void> {
  // `database()` has a plugin that rejects writes in raw SQL.
  const db = transaction.withoutPlugins()
  await sql`set local lock_timeout = 0`.execute(db)
  await sql`update kysely_migration_lock set is_locked = is_locked where id = ${MIGRATION_LOCK_ID}`.execute(
    db,
  )
}

/** Creates the row of `lockMigrations`. Kysely's own migrator creates it later, within the transaction. */
async function createLock(db: Kysely<Tables>): Promise<void> {
  const exists = async () =>
    (await sql`select where to_regclass('kysely_migration_lock') is not null`.execute(db)).rows.length > 0
  if (!(await exists()))
    await sql`create table if not exists kysely_migration_lock
      (id varchar(255) not null primary key, is_locked integer not null default 0)`
      .execute(db)
      .catch(async (error: unknown) => {
        // Of two processes that create it at the same moment, one fails.
        if (!(await exists())) throw error
      })
  await sql`insert into kysely_migration_lock (id) values (${MIGRATION_LOCK_ID}) on conflict do nothing`.execute(
    db,
  )
}
