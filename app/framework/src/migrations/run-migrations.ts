import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import { type MigrationResultSet, NO_MIGRATIONS } from 'kysely/migration'
import type { Tables } from '../resource/tables.ts'
import { extensionError } from './extension-error.ts'
import { keepCopies, lostMigrations } from './migration-copies.ts'
import { draftsAmong, isStillADraft, migrationFiles } from './migration-files.ts'
import { migrateAlone } from './migration-lock.ts'
import { migrator } from './migrator.ts'

/**
 * The folder with the migrations of the framework's own tables, such as `task_runs`. Pass it to `migrate` with the
 * application's folder.
 */
export const frameworkMigrations = path.join(import.meta.dirname, '../../migrations')

/** A migration: one in the folders, or one that ran in this database and whose file is missing. */
export interface MigrationState {
  readonly name: string
  /** When it ran in this database, as RFC 3339 text; null if it is pending. */
  readonly executed_at: string | null
  /** Whether its file exists. */
  readonly exists: boolean
  /** Whether it has a `down`. */
  readonly reversible: boolean
}

interface MigrateOptions {
  /**
   * Receives the name of each pending migration that exports `isDraft = true`. It is not run. For development servers,
   * which start while a migration is being written.
   */
  readonly onDraft?: ((name: string) => unknown) | undefined
  /**
   * Receives each migration that ran in this database and whose file is missing, as after a change of the branch, and how many
   * migrations a rollback of it reverts. Without `onLost`, such a migration is an error. For development servers.
   */
  readonly onLost?: ((name: string, count: number) => unknown) | undefined
  /** The folder that receives copies of the files, with which `rollback` reverts migrations whose files are missing. */
  readonly copies?: string | undefined
}

/**
 * Runs the pending migrations of these folders in the order of their names, in one transaction: all or none. Returns
 * their names. If several processes migrate, one runs and the others wait.
 *
 * Throws if a migration fails, if two have the same name, if a migration waits longer than five seconds for a lock, without
 * `onLost` if the file of an earlier one is missing, and without `onDraft` if a pending migration is a draft.
 *
 * ```ts
 * await migrate(db, [frameworkMigrations, join(import.meta.dirname, 'migrations')])
 * ```
 */
export function migrate(
  db: Kysely<Tables>,
  folders: readonly string[],
  { onDraft, onLost, copies }: MigrateOptions = {},
): Promise<string[]> {
  return migrateAlone(db, async (transaction) => {
    const states = await migrationStates(transaction, folders)
    const lost = states.filter(({ exists }) => !exists)
    if (onLost === undefined && lost[0] !== undefined) throw new Error(fileIsGone(lost[0].name))
    for (const state of lost) onLost?.(state.name, countSince(state, states))
    const pending = states.filter(({ executed_at }) => executed_at === null).map(({ name }) => name)
    const drafts = await draftsAmong(pending, folders)
    if (onDraft === undefined && drafts[0] !== undefined) throw new Error(isStillADraft(drafts[0]))
    for (const name of drafts) onDraft?.(name)
    const others = await lostMigrations(lost)
    const names = namesOf(await migrator(transaction, folders, { drafts, others }).migrateToLatest())
    if (copies !== undefined) await keepCopies(folders, copies)
    return names
  })
}

/**
 * Reverts the last `count` migrations, newest first, in one transaction: all or none. Returns their names. Throws if
 * one of them has no `down`, or if its file is missing and `copies` has no copy of it.
 */
export function rollback(
  db: Kysely<Tables>,
  count: number,
  folders: readonly string[],
  { copies }: Pick<MigrateOptions, 'copies'> = {},
): Promise<string[]> {
  return migrateAlone(db, async (transaction) => {
    const states = await migrationStates(transaction, folders)
    const others = await lostMigrations(
      states.filter(({ exists }) => !exists),
      copies,
    )
    const inOrder = states.filter(({ executed_at }) => executed_at !== null).toSorted(byTime)
    const stuck = inOrder
      .slice(-count)
      .find(({ name, reversible }) => !reversible && others[name]?.down === undefined)
    if (stuck !== undefined) throw new Error(stuck.exists ? hasNoDown(stuck.name) : fileIsGone(stuck.name))
    if (inOrder.length === 0) return []
    const before = inOrder.at(-count - 1)?.name ?? NO_MIGRATIONS
    return namesOf(await migrator(transaction, folders, { others }).migrateTo(before))
  })
}

/** Returns every migration of these folders and of the database, in the order of their names. Only reads. */
export async function migrationStates(
  db: Kysely<Tables>,
  folders: readonly string[],
): Promise<MigrationState[]> {
  const migrations = await migrator(db, folders).getMigrations()
  const executed = await executedMigrations(db)
  const states = migrations.map(({ name, migration }) => ({
    name,
    executed_at: executed.get(name) ?? null,
    exists: true,
    reversible: migration.down !== undefined,
  }))
  const missing = [...executed]
    .filter(([name]) => states.every((state) => state.name !== name))
    .map(([name, executed_at]) => ({ name, executed_at, exists: false, reversible: false }))
  return [...states, ...missing].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * Returns the names of the pending migrations of this database, without drafts if `skipDrafts` is true. Only reads, and
 * loads no file unless it looks for drafts: every start of a server and every `/readyz` calls it.
 */
export async function pendingMigrations(
  db: Kysely<Tables>,
  folders: readonly string[],
  { skipDrafts = false } = {},
): Promise<string[]> {
  const executed = await executedMigrations(db)
  const names = (await migrationFiles(folders)).map(({ name }) => name)
  const pending = names.filter((name) => !executed.has(name)).toSorted()
  const drafts = skipDrafts ? await draftsAmong(pending, folders) : []
  return pending.filter((name) => !drafts.includes(name))
}

/** Returns the times at which migrations ran, as RFC 3339 text. */
async function executedMigrations(db: Kysely<Tables>): Promise<Map<string, string>> {
  const tables = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (tables.rows.length === 0) return new Map()
  const { rows } = await sql<{ name: string; timestamp: string }>`
    select name, timestamp from kysely_migration`.execute(db)
  return new Map(rows.map(({ name, timestamp }) => [name, timestamp]))
}

const orderOf = ({ executed_at, name }: MigrationState) => `${executed_at} ${name}`
const byTime = (one: MigrationState, other: MigrationState) => (orderOf(one) < orderOf(other) ? -1 : 1)

/** Returns how many migrations ran since this one, with itself. */
const countSince = (state: MigrationState, states: readonly MigrationState[]) =>
  states.filter((other) => other.executed_at !== null && orderOf(other) >= orderOf(state)).length

function namesOf({ error, results = [] }: MigrationResultSet): string[] {
  if (error === undefined) return results.map(({ migrationName }) => migrationName)
  const failed = results.find(({ status }) => status === 'Error')
  const subject = failed ? `Migration ${failed.migrationName}` : 'Migrating'
  throw new Error(`${subject} failed`, { cause: extensionError(error) ?? error })
}

const hasNoDown = (name: string) =>
  `${name} has no down. Write one, or roll back fewer migrations. Nothing was changed.`

const fileIsGone = (name: string) =>
  `${name} ran in this database, but its file is missing. Restore it from git, revert it with npx cli db rollback on ` +
  'the computer that ran it in development, or begin with an empty database. Nothing was changed.'
