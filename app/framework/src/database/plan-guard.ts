import type { Pool } from 'pg'
import { keysetOrder } from './statements.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/**
 * Looks at the plan of every statement that is marked as a walk, once: whether an index gives its rows in that order.
 * Where none does, `tell` is given a sentence with the index that is missing. For development: it explains with sorting
 * and reading whole tables put off, so that a table of ten rows says what one of ten million would.
 */
export function planGuard(pool: Pool, tell: (problem: string) => void) {
  const seen = new Set<string>()
  const told = new Set<string>()
  return async (text: string, parameters: readonly unknown[]): Promise<void> => {
    const order = keysetOrder(text)
    if (order === null || seen.has(text)) return
    seen.add(text)
    const table = await explain(pool, text, parameters).then(sortedTable, (error: unknown) => {
      // No connection was free, or the table is only there in somebody's transaction: the next time may tell more.
      seen.delete(text)
      throw error
    })
    // The way back needs the same index as the way there.
    const index = `${table} ${order.replaceAll(/ (asc|desc|nulls first|nulls last)/g, '')}`
    if (table === null || told.has(index)) return
    told.add(index)
    tell(
      `A list of ${table} by cursor has no index in its order, so that every page reads and sorts the whole table. ` +
        `Add one in a migration: create index on ${table} (${order}).`,
    )
  }
}

async function explain(pool: Pool, text: string, parameters: readonly unknown[]): Promise<PlanNode> {
  const client = await pool.connect()
  try {
    await client.query(
      'begin; set local enable_sort = off; set local enable_seqscan = off; set local enable_bitmapscan = off',
    )
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (format json) ${text}`,
      [...parameters],
    )
    return rows[0]!['QUERY PLAN'][0].Plan
  } finally {
    // Whatever happened in it, the connection goes back without a transaction.
    await client.query('rollback').then(
      () => client.release(),
      (error: Error) => client.release(error),
    )
  }
}

/** The table below a sort, whole or incremental; null for a plan without one. */
function sortedTable(node: PlanNode): string | null {
  // What reads no table, since its condition can't be true, sorts nothing either.
  if (node['Node Type'].endsWith('Sort')) return tableIn(node) || null
  for (const child of node.Plans ?? []) {
    const found = sortedTable(child)
    if (found !== null) return found
  }
  return null
}

const tableIn = (node: PlanNode): string =>
  node['Relation Name'] ?? node.Plans?.map(tableIn).find((name) => name !== '') ?? ''
