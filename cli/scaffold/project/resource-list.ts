import { Exit, EXIT } from '../../exit.ts'
import { capital, type Names } from '../read/names.ts'
import { asIn, unix } from '../../project/file-text.ts'

/** The list of resources, to which a scaffold adds its line. */
export const RESOURCE_LIST = 'app/resources.ts'

const LONGEST_LINE = 110

/** Adds a resource to the list unless it has it. Throws with the lines to add if the file has another structure. */
export function withResource(text: string, names: Names, { isNested = false } = {}): string {
  const list = parse(text)
  if (list === null) throw new Exit(EXIT.conflict, otherShape('Add', names, isNested))
  if (list.entries.some((entry) => isOf(entry, names))) return text
  const imports = [...list.imports]
  for (const line of importsOf(names)) insertSorted(imports, line, pathOf)
  const entries = [...list.entries]
  insertSorted(entries, entryOf(names, isNested), repositoryOf)
  return asIn(text, write({ ...list, imports, entries }))
}

/** Removes a resource from the list if it has it. */
export function withoutResource(text: string, names: Names): string {
  const list = parse(text)
  const kept = list?.entries.filter((entry) => !isOf(entry, names))
  if (list === null || kept === undefined) throw new Exit(EXIT.conflict, otherShape('Remove', names))
  const imports = list.imports.filter((line) => !pathOf(line).startsWith(`./${names.folder}/`))
  return asIn(text, write({ ...list, imports, entries: kept }))
}

/**
 * Merges the entries that both sides added, changed or removed since `base`. Returns null if both changed the same entry,
 * or if one of the texts has another structure.
 */
export function mergedResourceList(sides: { base: string; ours: string; theirs: string }): string | null {
  const [base, ours, theirs] = [parse(sides.base), parse(sides.ours), parse(sides.theirs)]
  if (base === null || ours === null || theirs === null) return null
  if (ours.middle + ours.end !== base.middle + base.end) return null
  const [old, own] = [byName(base), byName(ours)]
  const entries = new Map(byName(theirs))
  for (const name of new Set([...old.keys(), ...own.keys()])) {
    const [before, mine] = [old.get(name), own.get(name)]
    if (before === mine) continue
    if (entries.get(name) !== before && entries.get(name) !== mine && mine !== undefined) return null
    if (mine === undefined) entries.delete(name)
    else entries.set(name, mine)
  }
  const imports = theirs.imports.filter((line) => !base.imports.includes(line) || ours.imports.includes(line))
  const added = ours.imports.filter((line) => !base.imports.includes(line) && !imports.includes(line))
  for (const line of added) insertSorted(imports, line, pathOf)
  const sorted: string[] = []
  for (const entry of entries.values()) insertSorted(sorted, entry, repositoryOf)
  const code = theirs.middle + sorted.join('') + theirs.end
  return asIn(sides.ours, write({ ...theirs, imports: imports.filter(isUsedIn(code)), entries: sorted }))
}

const byName = ({ entries }: List): Map<string, string> =>
  new Map(entries.map((entry) => [repositoryOf(entry), entry]))

/** Returns whether the code uses a name of an import line. The imports of a removed entry are not used. */
const isUsedIn = (code: string) => (line: string) => {
  const names = /\{([^}]*)\}/.exec(line)?.[1]?.match(/\w+/g) ?? []
  return names.length === 0 || names.some((name) => new RegExp(`\\b${name}\\b`).test(code))
}

interface List {
  /** One import each, at the top. */
  readonly imports: readonly string[]
  /** Between them and the entries, and behind those. */
  readonly middle: string
  readonly entries: readonly string[]
  readonly end: string
}

const SHAPE =
  /^((?:import [^\n]*\n)+)([\s\S]*?export const resources\b[^=\n]*= \[\n)((?: {2}[^\n]*\n)*)(\][\s\S]*)$/

function parse(text: string): List | null {
  const [, imports = '', middle = '', body = '', end = ''] = SHAPE.exec(unix(text)) ?? []
  // An entry begins with two spaces. Its other lines have more, or close it.
  const entries = body.match(/^ {2}\S[^\n]*\n(?:(?: {3,}[^\n]*| {2}\},?)\n)*/gm) ?? []
  const isWhole = middle !== '' && entries.join('') === body && !/^import[^\n]*\{\s*$/m.test(imports)
  return isWhole ? { imports: imports.match(/[^\n]+/g) ?? [], middle, entries, end } : null
}

const write = ({ imports, middle, entries, end }: List): string =>
  `${imports.join('\n')}\n${middle}${entries.join('')}${end}`

const isOf = (entry: string, { many }: Names): boolean => repositoryOf(entry) === many

const repositoryOf = (entry: string): string => /\brepository: (\w+)/.exec(entry)?.[1] ?? ''
const pathOf = (line: string): string => /from ['"]([^'"]+)['"]/.exec(line)?.[1] ?? ''

/** Inserts a line before the first one that follows in the alphabet. Lines in another order stay. */
function insertSorted(lines: string[], line: string, keyOf: (line: string) => string): void {
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
