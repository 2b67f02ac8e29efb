import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { readConfig } from '#app/config.ts'
import { frameworkMigrations, migrate, type MigrationState, migrationStates, rollback } from 'pergola'
import type { Tables } from 'pergola'
import { inDatabase } from '../../in-database.ts'
import { type Existing, existingIn } from '../existing.ts'
import type { Disk } from './disk.ts'

/** What a scaffold needs of the project and its database. */
export interface Project {
  readonly root: string
  /** Where files are written; the real one unless told otherwise. */
  readonly disk?: Disk
  /** Those of these files that couldn't be brought back; git is asked unless told otherwise. */
  uncommitted?(files: readonly string[]): readonly string[]
  existing(): Promise<Existing>
  /** Who may reach what, as the files say it by now. */
  manifest(): Promise<string>
  /** Whether there are demo accounts, to whom seeds may give records. */
  readonly seeds: boolean
  /** Fills what is empty, with the files that are there by now. */
  seed(): Promise<void>
  inDatabase<Result>(work: (database: ProjectDatabase) => Promise<Result>): Promise<Result>
}

export interface ProjectDatabase {
  states(): Promise<MigrationState[]>
  migrate(): Promise<string[]>
  rollback(count: number): Promise<string[]>
  /** How many; null where the table isn't there. */
  rowsIn(table: string): Promise<number | null>
}

/** The project in this folder, which is the one that this file belongs to, and its configured database. */
export function projectIn(root: string): Project {
  const config = readConfig()
  return {
    root,
    existing: () => existingIn(root),
    // What reads the new files is another process: this one has imported the old ones.
    manifest: () => inChild(root, ['routes', 'audit', '--json']),
    seeds: config.accounts.demo && config.profile === 'development',
    seed: async () => void (await inChild(root, ['db', 'seed'])),
    inDatabase: (work) => inDatabase(config, (db) => work(databaseOf(db, join(root, 'app/db/migrations')))),
  }
}

export function databaseOf(db: Kysely<Tables>, folder: string): ProjectDatabase {
  const folders = [frameworkMigrations, folder]
  return {
    states: () => migrationStates(db, folders),
    migrate: () => migrate(db, folders),
    rollback: (count) => rollback(db, count, folders),
    async rowsIn(table) {
      const found = await sql`select where to_regclass(${`"${table}"`}) is not null`.execute(db)
      if (found.rows.length === 0) return null
      const { rows } = await sql<{ count: string }>`select count(*) from ${sql.table(table)}`.execute(db)
      return Number(rows[0]?.count)
    },
  }
}

/** What a command of the project says on stdout; throws what it said on stderr when it failed. */
export function inChild(
  root: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: root, maxBuffer: 64 * 2 ** 20, env: { ...process.env, ...env } }
    execFile(process.execPath, [join(root, 'cli/bin.js'), ...words], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`cli ${words.join(' ')} failed: ${(stderr || stdout).trim()}`))
    })
  })
}
