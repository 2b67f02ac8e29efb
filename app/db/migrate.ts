import { promises as fs } from 'node:fs'
import path from 'node:path'
import type { Kysely } from 'kysely'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import type { Tables } from '#framework'

const migrator = (db: Kysely<Tables>) =>
  new Migrator({
    db,
    provider: new FileMigrationProvider({
      fs,
      path,
      migrationFolder: path.join(import.meta.dirname, 'migrations'),
    }),
  })

/** Brings the tables up to date; safe when several do it at once. Returns the names of what was run, throws what failed. */
export async function migrate(db: Kysely<Tables>): Promise<string[]> {
  const { error, results = [] } = await migrator(db).migrateToLatest()
  const failed = results.find(({ status }) => status === 'Error')
  if (error !== undefined)
    throw new Error(failed ? `Migration ${failed.migrationName} failed` : 'Migrating failed', {
      cause: error,
    })
  return results.map(({ migrationName }) => migrationName)
}

/** The names of the migrations that this database still lacks. */
export async function pendingMigrations(db: Kysely<Tables>): Promise<string[]> {
  const all = await migrator(db).getMigrations()
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}
