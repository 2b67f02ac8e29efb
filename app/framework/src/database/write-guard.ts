import type { KyselyPlugin, OperationNode, RawNode } from 'kysely'
import { guardOf } from '../resource/references.ts'
import { sqlTokens } from './sql-tokens.ts'
import { weakMemoize } from '../resource/memoize.ts'

/**
 * Rejects writes to the tables of resources, because only a repository knows whether a policy was asked, and to access
 * tables. Checks the nodes of Kysely's queries, and rejects every raw statement that writes, since its tables are
 * unknown. This catches mistakes; `withoutPlugins()` turns it off.
 */
export const writeGuard = writeGuardFor(null)

/** Returns the write guard for code that may write this access table. */
export function writeGuardFor(writable: string | null): KyselyPlugin {
  return {
    transformQuery({ node }) {
      rejectWrites(node, writable)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
}

/** The property of each writing statement that names the table it writes. */
const TARGET = new Map([
  ['InsertQueryNode', 'into'],
  ['UpdateQueryNode', 'table'],
  ['DeleteQueryNode', 'from'],
  ['MergeQueryNode', 'into'],
  ['AlterTableNode', 'table'],
  ['DropTableNode', 'table'],
])

const VERBS = new Set(
  'insert update delete merge truncate alter drop create copy call do grant revoke prepare execute'.split(
    ' ',
  ),
)

/** The tokens after which a statement may begin: `explain analyze verbose delete …` deletes. */
const BEFORE_STATEMENT = new Set([';', '(', ')', 'analyze', 'analyse', 'verbose'])

/**
 * Kysely has no nodes for raw SQL, and Postgres knows what a statement writes only when it runs: a read-only
 * transaction refuses `for update` and `nextval` too. So the words where a statement may begin decide.
 */
function isWriting(fragments: readonly string[]): boolean {
  let previous = ';'
  for (const token of sqlTokens(fragments.join('?'))) {
    // `select … into` creates a table.
    if (token === 'into' || (VERBS.has(token) && BEFORE_STATEMENT.has(previous))) return true
    previous = token
  }
  return false
}

/** The fragments of a template are the same list for each call. */
const writesRaw = weakMemoize(isWriting)

// Writes also hide in `with` clauses and in raw fragments, so the whole tree is walked.
function rejectWrites(node: unknown, writable: string | null): void {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) return node.forEach((one) => rejectWrites(one, writable))
  const { kind } = node as OperationNode
  const target = TARGET.get(kind)
  if (target !== undefined) rejectTables((node as Record<string, unknown>)[target], writable)
  if (kind === 'RawNode' && writesRaw((node as unknown as RawNode).sqlFragments)) throw skipsPolicy(RAW)
  for (const name in node) rejectWrites((node as Record<string, unknown>)[name], writable)
}

function rejectTables(node: unknown, writable: string | null): void {
  if (typeof node !== 'object' || node === null) return
  const { kind, name } = node as { kind?: string; name?: unknown }
  if (kind === 'RawNode') throw skipsPolicy(RAW)
  if (kind === 'IdentifierNode' && typeof name === 'string') {
    const guard = name === writable ? null : guardOf(name)
    if (guard === 'resource') throw skipsPolicy(`${name} belongs to a resource, and a write of it`)
    if (guard === 'access table')
      throw new Error(`${name} decides about access. Write it with its accessTable's asSystem('why').`)
  } else Object.values(node).forEach((one) => rejectTables(one, writable))
}

const RAW = 'A raw statement that writes'

const skipsPolicy = (what: string) =>
  new Error(`${what} skips the policy. Use the repository; tasks and seeds use its asSystem('why').`)
