import { createRequire } from 'node:module'
import { posix } from 'node:path'
import { sqlTokens } from '../database/sql-tokens.ts'
import { lineOf, parsed, type Source, UNREADABLE } from './parsed-source.ts'
import { isNamed, nameNode, nameOf, nodesIn, stringOf, type SyntaxNode, textOf } from './syntax-tree.ts'
import { tenantUses } from './tenant-uses.ts'

/** A use of the database or of the framework that no policy and no scope protects. */
export interface DirectUse {
  readonly file: string
  readonly line: number
  /**
   * `table`: a query that reads the table of a resource. `sql`: a raw select. `without plugins`: a connection without
   * the write guard. `tenant`: code that chooses the tenant. `import`: a module past the entries of the package.
   * `unreadable`: a file that does not parse.
   */
  readonly kind: 'table' | 'sql' | 'without plugins' | 'tenant' | 'import' | 'unreadable'
  /** The table, the SQL or the imported module. */
  readonly what: string
}

type Use = Omit<DirectUse, 'file'>
type Found = Omit<Use, 'line'> & { readonly at: SyntaxNode }

const NOT_A_LITERAL = '(not a literal)'

/** Returns a use as the end of a sentence: `reads the table users past its repository`. */
export function directUseInWords({ kind, what }: Pick<DirectUse, 'kind' | 'what'>): string {
  const isLiteral = what !== NOT_A_LITERAL
  if (kind === 'table' && isLiteral) return `reads the table ${what} past its repository`
  if (kind === 'table') return 'reads a table whose name is not a literal'
  if (kind === 'import' && !isLiteral) return 'imports a module whose name is not a literal'
  if (kind === 'tenant') return `chooses a tenant with ${what}`
  if (kind === 'sql') return `selects with raw SQL: ${what}`
  if (kind === 'import') return `imports ${what}, which is not an entry of the framework`
  return kind === 'unreadable' ? 'does not parse, so its queries are unknown' : 'uses withoutPlugins'
}

/**
 * Returns the places in source files that read records past the repositories, or that use internals of the framework.
 * Calls of `selectFrom` and of joins count for every object, because a connection may have any name. Their tables
 * count if they belong to a resource, or if they are not literals. Writes past a repository are not listed, because
 * `database()` rejects them. Values are not followed: a query in a package is not found.
 */
export function directUses(sources: readonly Source[], tables: readonly string[]): DirectUse[] {
  const ofResource = new Set(tables)
  return sources.flatMap((source) =>
    usesIn(source, ofResource).map((use): DirectUse => ({ file: source.file, ...use })),
  )
}

function usesIn(source: Source, tables: ReadonlySet<string>): Use[] {
  const file = parsed(source)
  if ('errorLine' in file) return [{ line: file.errorLine, kind: 'unreadable', what: UNREADABLE }]
  const { nodes } = file
  const found = [
    ...tableReads(nodes, tables),
    ...rawSelects(nodes),
    ...nodes.filter((node) => isNamed(node, ['withoutPlugins'])).map(withoutPlugins),
    ...tenantUses(nodes).map((use): Found => ({ ...use, kind: 'tenant' })),
    ...nodes.flatMap(importsAt),
  ]
  // The two names of a shorthand property are at the same position.
  return [...new Map(found.map((one) => [`${one.at.start} ${one.kind} ${one.what}`, one])).values()]
    .map(({ at, kind, what }) => ({ line: lineOf(at), kind, what }))
    .toSorted((one, other) => one.line - other.line)
}

const withoutPlugins = (at: SyntaxNode): Found => ({ at, kind: 'without plugins', what: 'withoutPlugins' })

/** The methods of Kysely whose first argument is a table. */
const READS = [
  'selectFrom',
  ...['inner', 'left', 'right', 'full', 'cross'].map((side) => `${side}Join`),
  ...['innerJoin', 'leftJoin', 'crossJoin'].map((join) => `${join}Lateral`),
  'outerApply',
  'crossApply',
]

/** Methods that other objects have too, such as `Array.from`. They count for the literal table of a resource. */
const AMBIGUOUS = ['from', 'using']

function tableReads(nodes: readonly SyntaxNode[], tables: ReadonlySet<string>): Found[] {
  const calls = nodes.filter(({ type }) => type === 'CallExpression')
  const called = new Set<number>()
  const reads = calls.flatMap((call) => {
    const callee = call['callee'] as SyntaxNode
    const [name, at] = [nameOf(callee) ?? '', nameNode(callee)]
    const isAmbiguous = AMBIGUOUS.includes(name)
    if (!isAmbiguous && !READS.includes(name)) return []
    called.add(at.start)
    return tablesAt((call['arguments'] as SyntaxNode[])[0])
      .filter((table) => (table === null ? !isAmbiguous : tables.has(table)))
      .map((table): Found => ({ at, kind: 'table', what: table ?? NOT_A_LITERAL }))
  })
  // `const { selectFrom } = db` hides the table.
  const others = nodes.filter((node) => isNamed(node, READS) && !called.has(node.start))
  return [...reads, ...others.map((at): Found => ({ at, kind: 'table', what: NOT_A_LITERAL }))]
}

/** Returns the tables that an argument names. Null for a table that is not a literal. */
function tablesAt(argument: SyntaxNode | undefined): (string | null)[] {
  if (argument === undefined) return [null]
  if (argument.type === 'ArrayExpression') {
    return (argument['elements'] as (SyntaxNode | null)[]).flatMap((one) => tablesAt(one ?? undefined))
  }
  const text = textOf(argument)
  if (text !== null) return [tableOf(text)]
  // A subquery has a `selectFrom` of its own.
  const isQuery = [...nodesIn(argument)].some((node) => isNamed(node, ['selectFrom']))
  return isQuery ? [] : [null]
}

/** Returns `notes` for `public.notes as n`. */
const tableOf = (text: string): string => text.trim().split(' ')[0]?.split('.').at(-1) ?? ''

function rawSelects(nodes: readonly SyntaxNode[]): Found[] {
  const tags = ['sql', ...nodes.flatMap(renamedSql)]
  return nodes.flatMap((node) => {
    const what = sqlAt(node, tags)
    return what !== null && (what === NOT_A_LITERAL || isSelect(what))
      ? [{ at: node, kind: 'sql', what }]
      : []
  })
}

/** Returns `['raw']` for the node of `sql as raw` in an import. */
const renamedSql = ({ type, imported, local }: SyntaxNode): string[] =>
  type === 'ImportSpecifier' && isNamed(imported as SyntaxNode, ['sql'])
    ? [(local as { name: string }).name]
    : []

/** Returns the text of raw SQL, in one line. Null for other nodes. */
function sqlAt(node: SyntaxNode, tags: readonly string[]): string | null {
  if (node.type === 'TaggedTemplateExpression' && tags.includes(nameOf(node['tag'] as SyntaxNode) ?? '')) {
    const { quasis } = node['quasi'] as { quasis: { value: { raw: string } }[] }
    return inOneLine(quasis.map(({ value }) => value.raw).join('${…}'))
  }
  if (node.type !== 'CallExpression') return null
  const callee = node['callee'] as SyntaxNode
  if (nameOf(callee) !== 'raw') return null
  const { object } = callee as { object?: SyntaxNode }
  if (object === undefined || ![...tags, 'CompiledQuery'].includes(nameOf(object) ?? '')) return null
  const text = textOf((node['arguments'] as SyntaxNode[])[0])
  return text === null ? NOT_A_LITERAL : inOneLine(text)
}

const inOneLine = (text: string): string => text.split(/\s+/).join(' ').trim()

/** Returns whether SQL may read a table: it contains `select`, or begins with `table`. */
function isSelect(text: string): boolean {
  const tokens = [...sqlTokens(text)]
  return tokens.includes('select') || tokens[0] === 'table'
}

/** Returns the module that a string names, if it is not an entry of the package. Also finds `import(name)`. */
function importsAt(node: SyntaxNode): Found[] {
  if (node.type === 'ImportExpression') {
    const source = node['source'] as SyntaxNode
    return textOf(source) === null ? [{ at: node, kind: 'import', what: NOT_A_LITERAL }] : []
  }
  const text = stringOf(node)
  return text !== null && isInternal(text) ? [{ at: node, kind: 'import', what: text }] : []
}

const { name, exports } = createRequire(import.meta.url)('../../package.json') as {
  name: string
  exports: object
}

/** The public entries of the package: `pergola`, `pergola/tasks`, … */
const ENTRIES = Object.keys(exports).map((entry) => posix.join(name, entry))

const PACKAGE = [name, 'framework']
const FOLDERS = ['src', 'testing', 'test']

function isInternal(name: string): boolean {
  if (ENTRIES.includes(name)) return false
  const parts = posix.normalize(name).split('/')
  return parts.some((part, index) => PACKAGE.includes(part) && FOLDERS.includes(parts[index + 1] ?? ''))
}
