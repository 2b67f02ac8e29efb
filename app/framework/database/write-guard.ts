import type { KyselyPlugin, OperationNode } from 'kysely'
import { isResourceTable } from '../resource/resource.ts'

/** Stops a write to a resource's table before it is sent: only its repository knows whether somebody decided on it. */
export const writeGuard: KyselyPlugin = {
  transformQuery({ node }) {
    for (const table of writtenTables(node)) {
      if (isResourceTable(table)) {
        throw new Error(
          `${table} belongs to a resource. Write it through its repository, where the policy was asked.`,
        )
      }
    }
    return node
  },
  transformResult: ({ result }) => Promise.resolve(result),
}

/** The property of each writing statement that names the table it writes. */
const TARGET = new Map([
  ['InsertQueryNode', 'into'],
  ['UpdateQueryNode', 'table'],
  ['DeleteQueryNode', 'from'],
  ['MergeQueryNode', 'into'],
])

// Writes also hide in `with` clauses, so the whole tree is walked.
function* writtenTables(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  const target = TARGET.get((node as OperationNode).kind)
  if (target !== undefined) yield* identifiers((node as Record<string, unknown>)[target])
  for (const child of Object.values(node)) yield* writtenTables(child)
}

function* identifiers(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  const { kind, name } = node as { kind?: string; name?: unknown }
  if (kind === 'IdentifierNode' && typeof name === 'string') yield name
  else for (const child of Object.values(node)) yield* identifiers(child)
}
