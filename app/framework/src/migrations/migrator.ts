import { promises as fs } from 'node:fs'
import path from 'node:path'
import type { Kysely } from 'kysely'
import { FileMigrationProvider, type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Tables } from '../resource/tables.ts'
import { load } from './migration-files.ts'

// A late merge may add a migration that is older than the last one that ran. It runs too.
export const migrator = (db: Kysely<Tables>, folders: readonly string[], differing: Differing = {}) =>
  new Migrator({ db, provider: filesIn(folders, differing), allowUnorderedMigrations: true })

/** What differs from the files: drafts, which don't run, and migrations without a file. */
interface Differing {
  readonly drafts?: readonly string[]
  readonly others?: Readonly<Record<string, Migration>>
}

const filesIn = (folders: readonly string[], { drafts = [], others = {} }: Differing): MigrationProvider => ({
  async getMigrations() {
    const migrations: Record<string, Migration> = { ...others }
    for (const folder of folders) {
      for (const [name, migration] of Object.entries(await filesOf(folder).getMigrations())) {
        if (drafts.includes(name)) continue
        if (name in migrations) throw new Error(`Two migrations have the name ${name}. Rename the newer one.`)
        migrations[name] = migration
      }
    }
    return migrations
  },
})

const filesOf = (migrationFolder: string) =>
  new FileMigrationProvider({
    fs,
    path,
    import: load,
    migrationFolder,
    onFileIgnored(file, reason) {
      if (reason === 'NotMigration')
        throw new Error(`${file} is not a migration. Export up, and optionally down.`)
    },
  })
