import { globSync, readFileSync, statSync } from 'node:fs'
import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import { z } from 'zod'
import { Exit, EXIT } from '../exit.ts'
import type { Names } from './read/names.ts'
import type { ScaffoldRecord } from './project/record.ts'
import { contained } from '../project/contained.ts'
import { digestOf, textAt, unix } from '../project/file-text.ts'

/**
 * The files of a resource besides its generated files: every other file in its folders, and the files that
 * `app/<folder>/companions.json` lists, like the migration of a column that only the resource needs. `texts` in this list
 * are the parts of other files, by path, that name such a column.
 */
export interface Companions {
  readonly files: readonly string[]
  /** Files that are not text, like pictures. */
  readonly binaries: readonly string[]
}

const listSchema = z.strictObject({
  files: z.array(z.string()),
  texts: z.record(z.string(), z.array(z.string())).default({}),
})

export function companionsOf(root: string, { path, names, scaffold }: ScaffoldRecord): Companions {
  const inFolders = globSync(`{app,views,e2e}/${names.folder}/**/*`, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  const listed = listOf(root, names).files.filter((file) => isFile(contained(root, file)))
  const all = [...inFolders, ...listed]
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== path && !(file in scaffold.files))
  const isText = (file: string) => isUtf8(readFileSync(contained(root, file)))
  const { text = [], binary = [] } = Object.groupBy([...new Set(all)].toSorted(), (file) =>
    isText(file) ? 'text' : 'binary',
  )
  return { files: text, binaries: binary }
}

/** Returns the parts of other files that belong to a resource, by path. */
export const companionTexts = (root: string, names: Names): [path: string, texts: string[]][] =>
  Object.entries(listOf(root, names).texts).filter(([path]) => isFile(contained(root, path)))

/** Removes these parts of a file. */
export const withoutTexts = (text: string, texts: readonly string[]): string =>
  texts.reduce((rest, part) => rest.replace(part, ''), unix(text))

function listOf(root: string, { folder }: Names): z.output<typeof listSchema> {
  const path = `app/${folder}/companions.json`
  const text = textAt(root, path)
  if (text === null) return { files: [], texts: {} }
  const read = listSchema.safeParse(parsed(text))
  if (!read.success)
    throw new Exit(
      EXIT.conflict,
      `${path} is not valid. Use this structure: { "files": ["docs/a.md"] }. No files were written.`,
    )
  return read.data
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Adds the companions to the record of the resource, as if the scaffold had generated them. */
export function withCompanions(root: string, record: ScaffoldRecord, { files }: Companions): ScaffoldRecord {
  const digests = files.map((file) => [file, digestOf(textAt(root, file) ?? '')] as const)
  return {
    ...record,
    scaffold: { ...record.scaffold, files: { ...record.scaffold.files, ...Object.fromEntries(digests) } },
  }
}

/** Returns the pages of the guide. They may contain sections about a resource. */
export const guidePages = (root: string): string[] =>
  globSync('{*.md,docs/**/*.md}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()

/** Removes the sections about a resource: each from a line `<!-- posts -->` to a line `<!-- /posts -->`. */
export const withoutSections = (text: string, { folder }: Pick<Names, 'folder'>): string =>
  unix(text).replaceAll(new RegExp(`^<!-- ${folder} -->\\n[^]*?^<!-- /${folder} -->\\n\\n?`, 'gm'), '')
