import type { CompiledQuery } from 'kysely'
import type { PoolClient } from 'pg'
import { keysetOrder } from './query-marks.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** A pool of connections, such as that of the driver. */
interface Connections {
  connect(): Promise<{ query: PoolClient['query']; release: (error?: Error) => void }>
}

type Statement = Pick<CompiledQuery, 'sql' | 'parameters' | 'query'>

/**
 * Returns a function that explains each cursor page once, and calls `warn` with the missing index if Postgres would
 * sort the table. For development: it disables sorts and sequential scans, so that a table of ten rows gets the plan of
 * a table with ten million rows.
 */
export function planGuard(pool: Connections, warn: (problem: string) => void) {
  const explained = new Set<string>()
  const warned = new Set<string>()
  return async ({ sql, parameters, query }: Statement): Promise<void> => {
    const order = keysetOrder(query)
    if (order === null || explained.has(sql)) return
    explained.add(sql)
    const table = await explain(pool, sql, parameters).then(sortedTable, (error: unknown) => {
      // No connection was free, or the table exists only in an open transaction: try again with the next page.
      explained.delete(sql)
      throw error
    })
    // One index serves both directions.
    const index = `${table} ${order.replaceAll(/ (asc|desc|nulls first|nulls last)/g, '')}`
    if (table === null || warned.has(index)) return
    warned.add(index)
    warn(
      `A cursor list of ${table} has no index for its order, so each page reads and sorts the whole table. ` +
        `Add an index in a migration: create index on ${table} (${order}).`,
    )
  }
}

async function explain(pool: Connections, text: string, parameters: readonly unknown[]): Promise<PlanNode> {
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
    // The connection must return to the pool without an open transaction.
    await client.query('rollback').then(
      () => client.release(),
      (error: Error) => client.release(error),
    )
  }
}

/** Returns the table below a sort, whole or incremental. Null for a plan without a sort. */
function sortedTable(node: PlanNode): string | null {
  // The plan reads no table if its condition can't be true.
  if (node['Node Type'].endsWith('Sort')) return tableIn(node) || null
  for (const child of node.Plans ?? []) {
    const table = sortedTable(child)
    if (table !== null) return table
  }
  return null
}

const tableIn = (node: PlanNode): string =>
  node['Relation Name'] ?? node.Plans?.map(tableIn).find((name) => name !== '') ?? ''
