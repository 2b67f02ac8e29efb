import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Tables } from 'pergola'
import * as pergola from 'pergola/database'
import { prepareJobs } from 'pergola/jobs'
import { jobs } from '#app/jobs/jobs.ts'

/** The migrations of the framework and of the application. They run in the order of their names. */
const FOLDERS = [pergola.frameworkMigrations, join(import.meta.dirname, 'migrations')]

/** Copies of the migrations that development servers ran. They revert those of another branch. */
const COPIES = join(import.meta.dirname, '../../.data/migrations')

interface InDevelopment {
  onDraft(name: string): unknown
  onLost(name: string, count: number): unknown
}

/**
 * Runs the pending migrations and returns their names. Also creates the queues of the jobs. Throws if a migration is a
 * draft, or ran and has no file, unless `inDevelopment` receives its name.
 */
export async function migrate(db: Kysely<Tables>, inDevelopment?: InDevelopment): Promise<string[]> {
  const migrated = await pergola.migrate(db, FOLDERS, inDevelopment && { ...inDevelopment, copies: COPIES })
  await prepareJobs(db, jobs)
  return migrated
}
export const rollback = (db: Kysely<Tables>, count: number) =>
  pergola.rollback(db, count, FOLDERS, { copies: COPIES })
export const migrationStates = (db: Kysely<Tables>) => pergola.migrationStates(db, FOLDERS)
/** Returns the pending migrations. In development, drafts don't count: the server skips them. */
export const pendingMigrations = (db: Kysely<Tables>, { profile }: { readonly profile: string }) =>
  pergola.pendingMigrations(db, FOLDERS, { skipDrafts: profile === 'development' })
