import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Returns the migrations in these folders, without loading them. */
export async function migrationFiles(folders: readonly string[]) {
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).flatMap((file) => migrationFile(folder, file))),
  )
  return files.flat()
}

/** The files that Kysely's `FileMigrationProvider` loads. */
const MIGRATION_FILE = /^(.+)(?<!\.d)\.[cm]?[jt]s$/

function migrationFile(folder: string, file: string) {
  const name = MIGRATION_FILE.exec(file)?.[1]
  return name === undefined ? [] : [{ name, folder, file }]
}

/**
 * Returns those of these migrations that are drafts: they export `isDraft = true`, because they are not written yet.
 * Loads their files.
 */
export async function draftsAmong(names: readonly string[], folders: readonly string[]): Promise<string[]> {
  const files = (await migrationFiles(folders)).filter(({ name }) => names.includes(name))
  const modules = await Promise.all(files.map(({ folder, file }) => load(join(folder, file))))
  return files.filter((_, index) => modules[index]?.isDraft === true).map(({ name }) => name)
}

/** Imports a file by its URL: a path like `C:\app` or `/a#b` is not a specifier of a module. */
export const load = <Exported = { isDraft?: unknown }>(path: string): Promise<Exported> =>
  import(pathToFileURL(path).href) as Promise<Exported>

export const isStillADraft = (name: string): string =>
  `${name} is a draft. Write it and remove its isDraft, or delete it. Nothing was changed.`
