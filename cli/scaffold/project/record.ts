import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Names, namesOf } from '../read/names.ts'
import { digestOf, textAt } from '../../project/file-text.ts'

/** `scaffold.json`: the command that created a resource, and the files that it wrote. */
export interface Scaffold {
  readonly version: 1
  /** The words of the command line. */
  readonly command: readonly string[]
  /** The plural when the resource was created. A newer generator may form another plural, but must not rename the table. */
  readonly plural: string
  /** The SHA-256 of each generated file with \n as line ends. */
  readonly files: Readonly<Record<string, string>>
}

export interface ScaffoldRecord {
  readonly path: string
  readonly names: Names
  readonly scaffold: Scaffold
}

export const pathOfScaffold = ({ folder }: Names): string => `app/${folder}/scaffold.json`

/** Returns every scaffolded resource of the project. */
export function scaffoldsIn(root: string): ScaffoldRecord[] {
  return globSync('app/*/scaffold.json', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .flatMap((path) => {
      const scaffold = parse(textAt(root, path) ?? '')
      if (scaffold === null || dirname(path) !== `app/${namesOfScaffold(scaffold).folder}`) return []
      return [{ path, names: namesOfScaffold(scaffold), scaffold }]
    })
}

/** Returns the resource with this name in any form: `BlogPost`, `blog_posts`. With `plural`, the name is a singular. */
export function scaffoldNamed(root: string, text: string, plural?: string): ScaffoldRecord | null {
  const all = scaffoldsIn(root)
  const { table } = namesOf(text, { plural: text })
  return (
    all.find(({ names }) => isNameOf(text, names)) ??
    all.find(({ names }) => plural === undefined && names.table === table) ??
    null
  )
}

/** Returns whether the text is a form of the resource's name: not `news` for New, although its table is news. */
export const isNameOf = (text: string, { resource }: Names): boolean =>
  [namesOf(text), namesOf(text, { plural: text })].some((names) => names.resource === resource)

const namesOfScaffold = ({ command, plural }: Scaffold): Names => {
  const { file } = namesOf(command[0] ?? '')
  // Without --plural, the name may be a plural: `scaffold posts` creates Post.
  return namesOf(command.includes('--plural') ? (command[0] ?? '') : file, { plural })
}

function parse(text: string): Scaffold | null {
  try {
    const { version, command, plural, files } = JSON.parse(text) as Scaffold
    const isOurs = version === 1 && Array.isArray(command) && typeof plural === 'string'
    return isOurs && typeof files === 'object' ? { version, command, plural, files } : null
  } catch {
    return null
  }
}

/** Returns whether a file still has its generated text. */
export const isUntouched = ({ files }: Scaffold, path: string, text: string): boolean =>
  files[path] === digestOf(text)

export const isMigration = (path: string): boolean => path.startsWith('app/db/migrations/')

/** Returns the migrations in the order in which they run, with a second one of a change that was moved to them later. */
export const migrationsOf = ({ files }: Scaffold): string[] =>
  Object.keys(files)
    .map((path) => path.replace('app/db/later/', 'app/db/migrations/'))
    .filter(isMigration)
    .toSorted()
