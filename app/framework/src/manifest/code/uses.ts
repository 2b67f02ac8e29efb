import { posix } from 'node:path'
import { sqlTokens } from '../../database/sql-tokens.ts'
import type { Import, ParsedSource } from './sources.ts'
import { type Mention, mentionAt, nameOf, nodesIn, type SyntaxNode, textOf } from './syntax-tree.ts'

/** A use of the database or of the framework that no policy and no scope protects. */
export interface Use {
  readonly file: string
  readonly line: number
  /**
   * `system`: a use of `asSystem`. `table`: a query that reads the table of a resource or an access table. `sql`: a raw
   * select. `call`: a function that passes policies by, such as `database`. `import`: a module that can open connections
   * or ports, or one past the entries of the package. `unreadable`: a file that does not parse. `decision`: a call of
   * `authorizeRecord`, which checks a policy.
   */
  readonly kind: 'system' | 'table' | 'sql' | 'call' | 'import' | 'unreadable' | 'decision'
  /** The expression before `.asSystem`, the table, the SQL, the function, the module or the decision. */
  readonly what: string
  /** The reason of `asSystem`. Null if it is not a literal. */
  readonly why?: string | null
}

const NOT_A_LITERAL = '(not a literal)'

/** Returns a use as the end of a sentence: `reads the table users directly`. */
export function useInWords({ kind, what }: { kind: string; what: string }): string {
  const isLiteral = what !== NOT_A_LITERAL
  if (kind === 'table')
    return isLiteral ? `reads the table ${what} directly` : 'reads a table whose name is not a literal'
  if (kind === 'sql') return `selects with raw SQL: ${what}`
  if (kind === 'import') return isLiteral ? `imports ${what}` : 'imports a module whose name is not a literal'
  return kind === 'unreadable' ? 'does not parse, so its uses are unknown' : `uses ${what}`
}

/** The tables and the functions of the application whose uses count. */
export interface Watched {
  readonly tables: readonly string[]
  readonly functions?: readonly string[]
}

/**
 * Returns the places in a source file that pass policies and scopes by. A method counts for every object, because a
 * connection may have any name, and where it is mentioned. A function counts where it is imported. Values are not
 * followed, and neither are names that are computed at run time.
 */
export function usesIn(source: ParsedSource, watched: Watched): Use[] {
  const { file, nodes, imports, errorLine } = source
  if (errorLine !== null) return [{ file, line: errorLine, kind: 'unreadable', what: '(all of it)' }]
  const renamed = new Map(imports.flatMap(({ names }) => [...(names ?? [])]))
  const place = { text: source.text, tables: watched.tables, renamed }
  const found = [
    ...imports.flatMap((one) => importUse(one, watched.functions ?? [])),
    ...nodes.flatMap((node) => usesAt(node, place)),
  ]
  // Of several finds at one name, the first knows most: the call before its name.
  return [...Map.groupBy(found, ({ at, kind }) => `${at.start} ${kind}`).values()]
    .flatMap((same) => same.slice(0, 1))
    .filter(({ what }) => what !== '')
    .map(({ at, ...use }) => ({ file, line: at.loc?.start.line ?? 0, ...use }))
    .toSorted((one, other) => one.line - other.line)
}

type Found = Pick<Use, 'kind' | 'what' | 'why'> & { readonly at: SyntaxNode }

/** Functions of the framework and of Kysely that read and write without a policy, or that make the caller. */
const FUNCTIONS =
  /^(?:CompiledQuery|Kysely|PostgresDialect|connect|contextOf|database|fromShard|listen|openDatabase|setSessionToken|with(?:AllTenants|Database|PatientDatabase|Tenant))$/

/** Modules that open connections and ports, or that load code by a computed name. */
const OPENING =
  /^(?:node:)?(?:child_process|cluster|dgram|http|http2|https|inspector|module|net|tls|vm|worker_threads)$|^(?:express|pg|postgres)$|^pg-/

function importUse({ at, module, names }: Import, functions: readonly string[]): Found {
  if (module === null) return { at, kind: 'import', what: NOT_A_LITERAL }
  const isWhole = names === null && /^(?:kysely|pergola(?:\/(?:app|accounts|database|scale))?)$/.test(module)
  if (isWhole || OPENING.test(module)) return { at, kind: 'import', what: module }
  const called = [...(names?.values() ?? [])].filter(
    (name) => FUNCTIONS.test(name) || functions.includes(name),
  )
  return { at, kind: 'call', what: called.toSorted().join(', ') }
}

interface Place {
  readonly text: string
  readonly tables: readonly string[]
  /** The names of imports, by their names in the file: `sql` for `import { sql as raw }`. */
  readonly renamed: ReadonlyMap<string, string>
}

function usesAt(node: SyntaxNode, place: Place): Found[] {
  const mention = mentionAt(node)
  if (mention === null) return []
  const { at, name, object, args } = mention
  // A name that hides another one counts as both.
  const names = [name, (object ? null : place.renamed.get(name)) ?? name].map((one) => posix.normalize(one))
  return PATTERNS.filter((pattern) => names.some((one) => pattern.name.test(one))).map(({ kind, what }) => ({
    at,
    kind,
    what: what(mention, place),
    ...(kind === 'system' && { why: object ? textOf(args?.[0]) : null }),
  }))
}

interface Pattern {
  readonly kind: Use['kind']
  readonly name: RegExp
  /** Returns the used thing. Empty if the mention is not a use. */
  readonly what: (mention: Mention, place: Place) => string
}

/** The names that count wherever they are mentioned. */
const PATTERNS: readonly Pattern[] = [
  { kind: 'system', name: /^asSystem$/, what: objectIn },
  { kind: 'call', name: /^withoutPlugins$/, what: ({ name }) => name },
  // The methods of Kysely whose first argument is a table. Without a call, the table is hidden: `const { selectFrom } = db`.
  {
    kind: 'table',
    name: /^(?:selectFrom|(?:inner|left|right|full|cross)Join|(?:inner|left|cross)JoinLateral|(?:outer|cross)Apply)$/,
    what: ({ args }, { tables }) => (args ? tablesIn(args, [...tables, NOT_A_LITERAL]) : NOT_A_LITERAL),
  },
  // Other objects have these methods, too, such as `Array.from`. They count for the literal table of a resource.
  { kind: 'table', name: /^(?:from|using)$/, what: ({ args = [] }, { tables }) => tablesIn(args, tables) },
  {
    kind: 'sql',
    name: /^sql$/,
    what: ({ template }) => selectIn(template?.quasis.map(({ value }) => value.raw) ?? []),
  },
  { kind: 'sql', name: /^raw$/, what: rawSql },
  { kind: 'decision', name: /^authorizeRecord$/, what: decisionIn },
  // A path into the package, past its entries. In any string, since `require` may have any name.
  {
    kind: 'import',
    name: /^(?!pergola\/testing$)(?:.*\/)?(?:pergola|framework)\/(?:src|testing|test)(?:\/|$)/s,
    what: ({ name }) => name,
  },
]

/** Returns `notes` for `notes!.asSystem`. */
function objectIn({ object }: Mention, { text }: Place): string {
  return object ? text.slice(object.start, object.end).replaceAll(/\s+/g, '') : '(an unnamed expression)'
}

function tablesIn([argument]: readonly SyntaxNode[], watched: readonly string[]): string {
  return tablesAt(argument)
    .filter((table) => watched.includes(table))
    .join(', ')
}

/** Returns the tables that an argument names. */
function tablesAt(argument: SyntaxNode | null | undefined): string[] {
  if (argument?.type === 'ArrayExpression') return argument.elements.flatMap(tablesAt)
  const text = textOf(argument ?? undefined)
  // `notes` for `public.notes as n`.
  if (text !== null) return [text.trim().split(' ')[0]?.split('.').at(-1) ?? '']
  // A subquery has a `selectFrom` of its own.
  const isQuery = argument && nodesIn(argument).some((node) => nameOf(node) === 'selectFrom')
  return isQuery ? [] : [NOT_A_LITERAL]
}

function rawSql({ object, args }: Mention, { renamed }: Place): string {
  const name = object && nameOf(object)
  if (!args || !name || !['sql', 'CompiledQuery'].includes(renamed.get(name) ?? name)) return ''
  const text = textOf(args[0])
  return text === null ? NOT_A_LITERAL : selectIn([text])
}

/** Returns SQL in one line if it may read a table: if it contains `select`, or begins with `table`. */
function selectIn(parts: readonly string[]): string {
  const sql = parts.join('${…}')
  const tokens = [...sqlTokens(sql)]
  const isSelect = tokens.includes('select') || tokens[0] === 'table'
  return isSelect ? sql.split(/\s+/).join(' ').trim() : ''
}

function decisionIn({ args }: Mention): string {
  if (!args) return ''
  const [, action, resource] = args
  return `${textOf(action) ?? '(any action)'} ${(resource && nameOf(resource)) ?? '(any resource)'}`
}
