import { Exit, EXIT } from '../../exit.ts'
import { capital, type Names } from '../read/names.ts'
import { asIn, unix } from '../../project/file-text.ts'

/** The list of resources, to which a scaffold adds its line. */
export const RESOURCE_LIST = 'app/resources.ts'

const LONGEST_LINE = 110

/** Adds a resource to the list unless it has it. Throws with the lines to add if the file has another structure. */
export function withResource(text: string, names: Names, { isNested = false } = {}): string {
  const list = parseList(text)
  if (list === null) throw new Exit(EXIT.conflict, otherShape('Add', names, isNested))
  if (list.entries.some((entry) => isOf(entry, names))) return text
  const imports = [...list.imports]
  for (const line of importsOf(names)) insertSorted(imports, line, pathOf)
  const entries = [...list.entries]
  insertSorted(entries, entryOf(names, isNested), repositoryOf)
  return asIn(text, writtenList({ ...list, imports, entries }))
}

/** Removes a resource from the list if it has it. */
export function withoutResource(text: string, names: Names): string {
  const list = parseList(text)
  const kept = list?.entries.filter((entry) => !isOf(entry, names))
  if (list === null || kept === undefined) throw new Exit(EXIT.conflict, otherShape('Remove', names))
  const imports = list.imports.filter((line) => !pathOf(line).startsWith(`./${names.folder}/`))
  return asIn(text, writtenList({ ...list, imports, entries: kept }))
}

export interface List {
  /** One import each, at the top. */
  readonly imports: readonly string[]
  /** Between them and the entries, and behind those. */
  readonly middle: string
  readonly entries: readonly string[]
  readonly end: string
}

const SHAPE =
  /^((?:import [^\n]*\n)+)([\s\S]*?export const resources\b[^=\n]*= \[\n)((?: {2}[^\n]*\n)*)(\][\s\S]*)$/

export function parseList(text: string): List | null {
  const [, imports = '', middle = '', body = '', end = ''] = SHAPE.exec(unix(text)) ?? []
  // An entry begins with two spaces. Its other lines have more, or close it.
  const entries = body.match(/^ {2}\S[^\n]*\n(?:(?: {3,}[^\n]*| {2}\},?)\n)*/gm) ?? []
  const isWhole = middle !== '' && entries.join('') === body && !/^import[^\n]*\{\s*$/m.test(imports)
  return isWhole ? { imports: imports.match(/[^\n]+/g) ?? [], middle, entries, end } : null
}

/** Returns the text of a list. */
export const writtenList = ({ imports, middle, entries, end }: List): string =>
  `${imports.join('\n')}\n${middle}${entries.join('')}${end}`

const isOf = (entry: string, { many }: Names): boolean => repositoryOf(entry) === many

export const repositoryOf = (entry: string): string => /\brepository: (\w+)/.exec(entry)?.[1] ?? ''
export const pathOf = (line: string): string => /from ['"]([^'"]+)['"]/.exec(line)?.[1] ?? ''

/** Inserts a line before the first one that follows in the alphabet. Lines in another order stay. */
export function insertSorted(lines: string[], line: string, keyOf: (line: string) => string): void {
  const at = lines.findIndex((other) => orderOf(keyOf(other)) > orderOf(keyOf(line)))
  lines.splice(at === -1 ? lines.length : at, 0, line)
}

// Packages come first. Upper and lower case count the same.
const orderOf = (key: string): string => `${key.startsWith('.') ? 1 : 0}${key.toLowerCase()}`

/** The identifiers of a resource that the list imports: its routes, its repository and its seed. */
export const identifiersOf = ({ one, many }: Names) => [`${one}Routes`, many, `seed${capital(many)}`] as const

function importsOf(names: Names): string[] {
  const [routes, repository, seed] = identifiersOf(names)
  const files = `./${names.folder}/${names.file}`
  return [
    `import { ${routes} } from '${files}.controller.ts'`,
    `import { ${repository} } from '${files}.repository.ts'`,
    `import { ${seed} } from '${files}.seed.ts'`,
  ]
}

function entryOf(names: Names, isNested = false): string {
  const [routes, repository, seed] = identifiersOf(names)
  const parts = [
    `repository: ${repository}`,
    `routes: { ${routes} }`,
    ...(isNested ? [] : [`nav: '${names.titles}'`]),
    `seed: ${seed}`,
  ]
  const line = `  { ${parts.join(', ')} },`
  return line.length <= LONGEST_LINE
    ? `${line}\n`
    : `  {\n${parts.map((part) => `    ${part},\n`).join('')}  },\n`
}

const otherShape = (verb: string, names: Names, isNested = false): string =>
  [
    `${RESOURCE_LIST} has an unexpected structure. Expected: imports of one line each, then an array \`resources\` with one entry per line.`,
    `${verb} these lines by hand, or restore the structure and try again. No files were written.`,
    ...importsOf(names).map((line) => `  ${line}`),
    entryOf(names, isNested).trimEnd(),
  ].join('\n')
