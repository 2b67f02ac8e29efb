import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { readConfig } from '#app/config.ts'
import {
  frameworkMigrations,
  migrate,
  type MigrationState,
  migrationStates,
  rollback,
} from 'pergola/database'
import type { Tables } from 'pergola'
import { inDatabase } from '../../in-database.ts'
import { type Existing, existingIn } from '../existing.ts'
import type { Disk } from '../../project/disk.ts'

/** The project that a scaffold changes, and its database. */
export interface Project {
  readonly root: string
  /** Writes the files. Defaults to the file system. */
  readonly disk?: Disk
  /** Returns the files that the last commit can't restore. Defaults to a check with git. */
  uncommitted?(files: readonly string[]): readonly string[]
  existing(): Promise<Existing>
  /** Returns the manifest of the current code. */
  manifest(): Promise<string>
  /** Whether demo accounts exist, which own the seeded records. */
  readonly seeds: boolean
  /** Seeds empty tables with the current code. */
  seed(): Promise<void>
  inDatabase<Result>(work: (database: ProjectDatabase) => Promise<Result>): Promise<Result>
}

export interface ProjectDatabase {
  states(): Promise<MigrationState[]>
  migrate(): Promise<string[]>
  rollback(count: number): Promise<string[]>
  /** Returns the number of rows, of those for which a condition of SQL holds; null if the table does not exist. */
  rowsIn(table: string, where?: string): Promise<number | null>
}

/** Returns the project at `root`, which must contain this file, with its configured database. */
export function projectIn(root: string): Project {
  const config = readConfig()
  return {
    root,
    existing: () => existingIn(root),
    // A new process reads the new files: this one has already imported the old ones.
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
    // A draft of the developer doesn't prevent a scaffold.
    migrate: () => migrate(db, folders, { onDraft: () => {} }),
    rollback: (count) => rollback(db, count, folders),
    async rowsIn(table, where = 'true') {
      const tables = await sql`select where to_regclass(${`"${table}"`}) is not null`.execute(db)
      if (tables.rows.length === 0) return null
      const counted = sql<{ count: string }>`select count(*) from ${sql.table(table)} where ${sql.raw(where)}`
      return Number((await counted.execute(db)).rows[0]?.count)
    },
  }
}

/** Runs a command of the project and returns its stdout. Throws its stderr if it fails. */
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
