import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Migration } from 'kysely/migration'
import { load, migrationFiles } from './migration-files.ts'

/** Copies the migrations to a folder. It keeps those whose files are deleted later, such as by a change of the branch. */
export async function keepCopies(folders: readonly string[], copies: string): Promise<void> {
  await mkdir(copies, { recursive: true })
  const files = await migrationFiles(folders)
  await Promise.all(files.map(({ folder, file }) => copyFile(join(folder, file), join(copies, file))))
}

/** Returns migrations without files: their copies, or without a copy what changes nothing. */
export async function lostMigrations(
  lost: readonly { readonly name: string }[],
  copies?: string,
): Promise<Readonly<Record<string, Migration>>> {
  const kept = copies === undefined || lost.length === 0 ? [] : await migrationFiles([copies]).catch(() => [])
  const loaded = lost.map(async ({ name }): Promise<[string, Migration]> => {
    const copy = kept.find((file) => file.name === name)
    return [
      name,
      copy ? await load<Migration>(join(copy.folder, copy.file)) : { up: () => Promise.resolve() },
    ]
  })
  return Object.fromEntries(await Promise.all(loaded))
}
