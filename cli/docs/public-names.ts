import { posix } from 'node:path'
import { type Declarations, importOf, partsOf, proseOf } from './declarations.ts'

export interface PublicName {
  readonly name: string
  /** Its docstring as Markdown. */
  readonly text: string
  /** Its declaration without its docstring, and the types of its options that no entry exports. */
  readonly code: string
}

/** The names below one comment of an entry file: `// Scopes: which records a caller sees in lists`. */
export interface Group {
  readonly title: string
  readonly names: readonly PublicName[]
}

export interface PackageSource {
  readonly declarations: Declarations
  /** The names that the entries export. */
  readonly publicNames: ReadonlySet<string>
}

/** Matches a comment of one line, or `export { type Page, toPage } from './page.ts'`. */
const LINES = /^\/\/ (?<title>.*)$|^export (?:type )?\{(?<names>[^}]*)\} from ['"](?<file>[^'"]+)['"];?$/gm

/** Returns the docstring of an entry file as Markdown. */
export const entryText = (entry: string): string => proseOf(/^\/\*\*.*?\*\//s.exec(entry)?.[0] ?? '')

/** Returns the names that an entry file exports. */
export const namesOf = (entry: string): string[] =>
  [...entry.matchAll(LINES)].flatMap(({ groups }) => namesIn(groups?.['names'] ?? ''))

/** Returns the names that an entry file exports, in their groups. */
export function groupsOf(path: string, entry: string, source: PackageSource): Group[] {
  const groups: { title: string; names: PublicName[] }[] = []
  for (const { groups: part = {} } of entry.matchAll(LINES)) {
    const { title, names = '', file = '' } = part
    const last = groups.at(-1)
    if (title === undefined) {
      const from = posix.join(posix.dirname(path), file).replace(EXTENSION, '')
      if (last === undefined) groups.push({ title: 'Exports', names: [] })
      groups.at(-1)!.names.push(...namesIn(names).map((name) => publicName(name, from, source)))
    } else if (last?.names.length === 0) last.title += ` ${title}`
    else groups.push({ title, names: [] })
  }
  return groups
}

const EXTENSION = /\.[jt]s$/

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')

function publicName(name: string, path: string, source: PackageSource): PublicName {
  const parts = partsOf(source.declarations.get(path) ?? '').filter((part) => part.name === name)
  if (parts.length === 0) throw new Error(`${path}.ts doesn't declare ${name}, which an entry exports.`)
  const code = parts.map((part) => part.code)
  const options = code.flatMap((one) => optionTypesIn(one, path, source))
  return {
    name,
    text: parts
      .map(({ comment }) => proseOf(comment))
      .filter(Boolean)
      .join('\n\n'),
    code: [code.join('\n'), ...new Set(options)].join('\n\n'),
  }
}

const OPTION_TYPE = /\b[A-Z]\w*(?:Options?|Settings|Parts|Verbs)\b/g

/** Returns the declarations of the option types that a signature mentions, and of those that they mention. */
function optionTypesIn(code: string, path: string, source: PackageSource): string[] {
  const { declarations, publicNames } = source
  const names = [...new Set(code.match(OPTION_TYPE))].filter((name) => !publicNames.has(name))
  return names.flatMap((name) => {
    const from = importOf(name, declarations.get(path) ?? '')
    const file = from === null ? path : posix.join(posix.dirname(path), from).replace(EXTENSION, '')
    const part = partsOf(declarations.get(file) ?? '').find((one) => one.name === name)
    if (part === undefined || part.code === code) return []
    return [part.comment + part.code, ...optionTypesIn(part.code, file, source)]
  })
}
