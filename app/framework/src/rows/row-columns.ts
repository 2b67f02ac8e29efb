import type { AliasedExpression } from 'kysely'
import type { RowColumnsNode } from '../database/postgres-dialect.ts'
import { weakMemoize } from '../resource/memoize.ts'
import type { Resource } from '../resource/resource.ts'

/** A list of columns for `select` and `returning`. Kysely has no type for several columns in one expression. */
type Columns = AliasedExpression<unknown, string>

/**
 * Returns the columns of a row, for `select` and `returning`: the declared ones, never `*`. A column that a migration adds
 * can't reach a client before it is declared. The list is made once.
 *
 * `"posts"."id", "posts"."title"`
 */
export const rowColumns: (resource: Resource) => Columns = weakMemoize((resource) =>
  columnsOf(resource, resource.columns),
)

/** Returns these columns of a table as one node, since a node for each column would take longer to compile. */
export function columnsOf({ table }: Resource, columns: readonly string[]): Columns {
  const prefix = quotedTable(table)
  const text = columns.map((column) => `${prefix}.${quoted(column)}`).join(', ')
  const node: RowColumnsNode = Object.freeze({ kind: 'SelectAllNode', columns: text })
  return { toOperationNode: () => node } as unknown as Columns
}

/** Returns the name of a table for SQL. Its schema is quoted separately: `"archive"."posts"`. */
export const quotedTable = (table: string): string => table.split('.').map(quoted).join('.')

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
