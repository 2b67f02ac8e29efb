import type { KyselyPlugin, OperationNode, RawNode } from 'kysely'
import { isResourceTable } from '../resource/resource.ts'
import { sqlTokens } from './sql-tokens.ts'

/**
 * Rejects writes to the tables of resources, because only a repository knows whether a policy was asked. Checks the
 * nodes of Kysely's queries, and rejects every raw statement that writes, since its tables are unknown. This catches
 * mistakes; `withoutPlugins()` turns it off.
 */
export const writeGuard: KyselyPlugin = {
  transformQuery({ node }) {
    for (const written of writes(node)) {
      if (written !== RAW && !isResourceTable(written)) continue
      const what =
        written === RAW
          ? 'A raw statement that writes'
          : `${written} belongs to a resource, and a write of it`
      throw new Error(
        `${what} skips the policy. Use the repository; tasks and seeds use its asSystem('why').`,
      )
    }
    return node
  },
  transformResult: ({ result }) => Promise.resolve(result),
}

const RAW = Symbol('raw SQL')

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
function isWriting({ sqlFragments }: RawNode): boolean {
  let previous = ';'
  for (const token of sqlTokens(sqlFragments.join('?'))) {
    // `select … into` creates a table.
    if (token === 'into' || (VERBS.has(token) && BEFORE_STATEMENT.has(previous))) return true
    previous = token
  }
  return false
}

// Writes also hide in `with` clauses and in raw fragments, so the whole tree is walked.
function* writes(node: unknown): Generator<string | typeof RAW> {
  if (typeof node !== 'object' || node === null) return
  const { kind } = node as OperationNode
  const target = TARGET.get(kind)
  if (target !== undefined) yield* tables((node as Record<string, unknown>)[target])
  if (kind === 'RawNode' && isWriting(node as unknown as RawNode)) yield RAW
  for (const child of Object.values(node)) yield* writes(child)
}

function* tables(node: unknown): Generator<string | typeof RAW> {
  if (typeof node !== 'object' || node === null) return
  const { kind, name } = node as { kind?: string; name?: unknown }
  if (kind === 'RawNode') yield RAW
  else if (kind === 'IdentifierNode' && typeof name === 'string') yield name
  else for (const child of Object.values(node)) yield* tables(child)
}
