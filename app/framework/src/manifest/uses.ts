import { createRequire } from 'node:module'
import { posix } from 'node:path'
import { rawSelects } from './raw-selects.ts'
import { type Import, importsOf, lineOf, parsed, type Source } from './sources.ts'
import {
  isNamed,
  nameNode,
  nameOf,
  nodesIn,
  stringOf,
  type SyntaxNode,
  textOf,
  unwrapped,
} from './syntax-tree.ts'

/** A use of the database or of the framework that no policy and no scope protects. */
export interface Use {
  readonly file: string
  readonly line: number
  /**
   * `system`: a use of `asSystem`. `table`: a query that reads the table of a resource or an access table. `sql`: a raw
   * select. `call`: a function that passes policies by, such as `database`. `import`: a module that can open connections
   * or ports, or one past the entries of the package. `unreadable`: a file that does not parse.
   */
  readonly kind: 'system' | 'table' | 'sql' | 'call' | 'import' | 'unreadable'
  /** The expression before `.asSystem`, the table, the SQL, the function or the module. */
  readonly what: string
  /** The reason of `asSystem`. Null if it is not a literal. */
  readonly why?: string | null
}

type Found = Omit<Use, 'file' | 'line'> & { readonly at: SyntaxNode }

const NOT_A_LITERAL = '(not a literal)'

/** Returns a use as the end of a sentence: `reads the table users past its repository`. */
export function useInWords({ kind, what }: { kind: string; what: string }): string {
  const isLiteral = what !== NOT_A_LITERAL
  if (kind === 'table')
    return isLiteral ? `reads the table ${what} directly` : 'reads a table whose name is not a literal'
  if (kind === 'sql') return `selects with raw SQL: ${what}`
  if (kind === 'import') return isLiteral ? `imports ${what}` : 'imports a module whose name is not a literal'
  return kind === 'unreadable' ? 'does not parse, so its uses are unknown' : `uses ${what}`
}

export interface Watched {
  /** The tables of resources, and the access tables. */
  readonly tables: readonly string[]
  /** Functions of the application that give access, such as the one that starts a session. */
  readonly functions?: readonly string[]
}

/**
 * Returns the places in source files that pass policies and scopes by. Calls of `selectFrom` and of joins count for every
 * object, because a connection may have any name. A function counts where it is imported, a method where it is
 * mentioned. Values are not followed, and neither are names that are computed at run time.
 */
export const usesIn = (sources: readonly Source[], watched: Watched): Use[] =>
  sources.flatMap((source) => usesOf(source, watched))

function usesOf(source: Source, { tables, functions = [] }: Watched): Use[] {
  const { file } = source
  const content = parsed(source)
  if ('errorLine' in content)
    return [{ file, line: content.errorLine, kind: 'unreadable', what: '(all of it)' }]
  const { nodes } = content
  const found = [
    ...nodes.flatMap((node) => systemUseAt(node, source)),
    ...tableReads(nodes, new Set(tables)),
    ...rawSelects(nodes),
    ...nodes.filter((node) => isNamed(node, ['withoutPlugins'])).map((at) => call(at, 'withoutPlugins')),
    ...importsOf(source).flatMap((one) => importUses(one, [...FUNCTIONS, ...functions])),
    ...nodes.flatMap(internalAt),
  ]
  // Of several finds at one name, the first knows most.
  return [...new Map(found.toReversed().map((one) => [`${one.at.start} ${one.kind}`, one])).values()]
    .toReversed()
    .map(({ at, ...use }) => ({ file, line: lineOf(at), ...use }))
    .toSorted((one, other) => one.line - other.line)
}

const call = (at: SyntaxNode, what: string): Found => ({ at, kind: 'call', what })

/** Functions of the framework and of Kysely that read and write without a policy, or that make the caller. */
const FUNCTIONS = [
  'CompiledQuery',
  'Kysely',
  'PostgresDialect',
  'connect',
  'contextOf',
  'database',
  'fromShard',
  'listen',
  'openDatabase',
  'setSessionToken',
  'withAllTenants',
  'withDatabase',
  'withPatientDatabase',
  'withTenant',
]

/** Modules that open connections and ports, or that load code by a computed name. */
const OPENING =
  /^(?:node:)?(?:child_process|cluster|dgram|http|http2|https|inspector|module|net|tls|vm|worker_threads)$|^(?:express|pg|postgres)$|^pg-/

function importUses({ at, module, names }: Import, functions: readonly string[]): Found[] {
  if (module === null) return [{ at, kind: 'import', what: NOT_A_LITERAL }]
  const isWhole = names === null && (module === 'pergola' || module === 'kysely')
  if (isWhole || OPENING.test(module)) return [{ at, kind: 'import', what: module }]
  const called = names?.filter((name) => functions.includes(name)) ?? []
  return called.length === 0 ? [] : [call(at, called.toSorted().join(', '))]
}

const AS_SYSTEM = 'asSystem'

/** Returns a mention of `asSystem`. A string of nothing else counts, since it may be a key. */
function systemUseAt(node: SyntaxNode, { text }: Source): Found[] {
  if (node.type === 'CallExpression' || node.type === 'MemberExpression') {
    const isCall = node.type === 'CallExpression'
    const callee = isCall ? (node['callee'] as SyntaxNode) : node
    const { object } = unwrapped(callee) as { object?: SyntaxNode }
    if (object === undefined || nameOf(callee) !== AS_SYSTEM) return []
    const why = isCall ? textOf((node['arguments'] as SyntaxNode[])[0]) : null
    const { start, end } = unwrapped(object) as SyntaxNode & { end: number }
    const what = text.slice(start, end).replaceAll(/\s+/g, '')
    return [{ at: nameNode(callee), kind: 'system', what, why }]
  }
  const isMention = isNamed(node, [AS_SYSTEM])
  return isMention ? [{ at: node, kind: 'system', what: '(an unnamed expression)', why: null }] : []
}

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
    const read = tablesAt((call['arguments'] as SyntaxNode[])[0]).filter((table) =>
      table === null ? !isAmbiguous : tables.has(table),
    )
    const what = read.map((table) => table ?? NOT_A_LITERAL).join(', ')
    return what === '' ? [] : [{ at, kind: 'table', what } as const]
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

/** Returns the module that a string names, if it is not an entry of the package: `require` has any name. */
function internalAt(at: SyntaxNode): Found[] {
  const text = stringOf(at)
  return text !== null && isInternal(text) ? [{ at, kind: 'import', what: text }] : []
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
