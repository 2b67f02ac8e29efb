import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { Exit, EXIT } from '../exit.ts'
import { choices, nearest } from '../nearest.ts'
import { textAt } from '../project/file-text.ts'

export const FOLDER = 'cli/add-ons'

/** The files of a version of Pergola, in a folder or in git. */
export interface Source {
  readonly paths: readonly string[]
  /** Returns an empty text if the file doesn't exist. */
  text(path: string): string
}

/** The add-ons of the clone at `root`. */
export function sourceIn(root: string): Source {
  // Unlike a glob, it finds files such as .kamal/secrets.
  const entries = readdirSync(join(root, FOLDER), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) =>
    relative(root, join(parentPath, name)).replaceAll('\\', '/'),
  )
  return { paths, text: (path) => textAt(root, path) ?? '' }
}

/** Ignores keys that a later version may add. */
export const schema = z.object({
  description: z.string(),
  /** The cost of the add-on at run time. */
  cost: z.string(),
  /** The add-ons that it builds on. */
  needs: z.array(z.string()).default([]),
  /** The names that its edits add to the data of views. */
  views: z.array(z.string()).default([]),
  /** What to do with the files that use the add-on before it is removed. */
  remedy: z.string().default('Change them first.'),
  packages: z.record(z.string(), z.object({ version: z.string(), reason: z.string() })).default({}),
})

/** A feature that some applications need: files, edits of other files, and packages. */
export interface AddOn extends z.output<typeof schema> {
  readonly name: string
  /** The texts of its files, by their paths in the application. */
  readonly files: ReadonlyMap<string, string>
  /** The edits of existing files, by their paths. See `applyEdit`. */
  readonly edits: ReadonlyMap<string, string>
}

const DECLARATION = 'add-on.json'

/** Returns the names of all add-ons, in alphabetical order. */
export const namesIn = ({ paths }: Source): string[] =>
  paths.flatMap((path) => DECLARED.exec(path)?.[1] ?? []).toSorted()

const DECLARED = new RegExp(`^${FOLDER}/([^/]+)/${DECLARATION}$`)

/** Reads an add-on. `application` is the name in the application's package.json, which replaces `app-name` in its texts. */
export function readAddOn(source: Source, name: string, application: string): AddOn {
  const folder = `${FOLDER}/${name}`
  const named = (text: string) => text.replaceAll('app-name', application)
  const textsBelow = (kind: string, suffix = '') => {
    const start = `${folder}/${kind}/`
    const paths = source.paths.filter((path) => path.startsWith(start) && path.endsWith(suffix)).toSorted()
    const target = (path: string) => path.slice(start.length, path.length - suffix.length)
    return new Map(paths.map((path) => [named(target(path)), named(source.text(path))]))
  }
  const declared = parsed(`${folder}/${DECLARATION}`, source)
  return { ...declared, name, files: textsBelow('files'), edits: textsBelow('edits', '.diff') }
}

function parsed(path: string, source: Source): z.output<typeof schema> {
  try {
    return schema.parse(JSON.parse(source.text(path)))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message
    throw new Exit(EXIT.failed, `${path} is not valid: ${reason}`)
  }
}

export function addOnNamed(addOns: readonly AddOn[], name: string): AddOn {
  const found = addOns.find((addOn) => addOn.name === name)
  if (found !== undefined) return found
  const names = addOns.map((addOn) => addOn.name)
  throw new Exit(
    EXIT.usage,
    `No add-on has the name ${name}. ${choices(names, nearest(name, names))} No files were written.`,
  )
}
