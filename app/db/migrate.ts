import { join } from 'node:path'
import type { Kysely } from 'kysely'
import * as pergola from 'pergola'
import { type DeclaredResource, frameworkMigrations, type Tables } from 'pergola'

/** The migrations of the framework and of the application. They run in the order of their names. */
const FOLDERS = [frameworkMigrations, join(import.meta.dirname, 'migrations')]

export const migrate = (db: Kysely<Tables>) => pergola.migrate(db, FOLDERS)
export const rollback = (db: Kysely<Tables>, count: number) => pergola.rollback(db, count, FOLDERS)
export const migrationStates = (db: Kysely<Tables>) => pergola.migrationStates(db, FOLDERS)
export const pendingMigrations = (db: Kysely<Tables>) => pergola.pendingMigrations(db, FOLDERS)
export const readColumns = (resources: readonly DeclaredResource[], db: Kysely<Tables>) =>
  pergola.readColumns(resources, db, FOLDERS)
