import { join } from 'node:path'
import type { Kysely } from 'kysely'
import * as pergola from 'pergola'
import { type DeclaredResource, frameworkMigrations, type Tables } from 'pergola'
import { prepareJobs } from 'pergola/jobs'
import { jobs } from '#app/jobs/jobs.ts'

/** The migrations of the framework and of the application. They run in the order of their names. */
const FOLDERS = [frameworkMigrations, join(import.meta.dirname, 'migrations')]

/** Runs the pending migrations and returns their names. Also creates the queues of the jobs. */
export async function migrate(db: Kysely<Tables>): Promise<string[]> {
  const migrated = await pergola.migrate(db, FOLDERS)
  await prepareJobs(db, jobs)
  return migrated
}
export const rollback = (db: Kysely<Tables>, count: number) => pergola.rollback(db, count, FOLDERS)
export const migrationStates = (db: Kysely<Tables>) => pergola.migrationStates(db, FOLDERS)
export const pendingMigrations = (db: Kysely<Tables>) => pergola.pendingMigrations(db, FOLDERS)
export const readColumns = (resources: readonly DeclaredResource[], db: Kysely<Tables>) =>
  pergola.readColumns(resources, db, FOLDERS)
