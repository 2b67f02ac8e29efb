import { readdir } from 'node:fs/promises'

export interface MigrationFile {
  readonly name: string
  readonly folder: string
  readonly file: string
}

/** Returns the migrations in these folders, without loading them. */
export async function migrationFiles(folders: readonly string[]): Promise<MigrationFile[]> {
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).flatMap((file) => migrationFile(folder, file))),
  )
  return files.flat()
}

/** The files that Kysely's `FileMigrationProvider` loads. */
const MIGRATION_FILE = /^(.+)(?<!\.d)\.[cm]?[jt]s$/

function migrationFile(folder: string, file: string): MigrationFile[] {
  const name = MIGRATION_FILE.exec(file)?.[1]
  return name === undefined ? [] : [{ name, folder, file }]
}
