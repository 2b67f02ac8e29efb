import type { AliasedExpression } from 'kysely'
import type { RowColumnsNode } from '../database/postgres-dialect.ts'
import type { Resource } from '../resource/resource.ts'

/** A list of columns for `select` and `returning`. Kysely has no type for several columns in one expression. */
type Columns = AliasedExpression<unknown, string>

const lists = new WeakMap<Resource, Columns>()

/**
 * Returns the columns of a row, for `select` and `returning`: the declared ones, never `*`. A column that a migration adds
 * can't reach a client before it is declared. The list is made once.
 *
 * `"posts"."id", "posts"."title"`
 */
export function rowColumns(resource: Resource): Columns {
  const known = lists.get(resource)
  if (known !== undefined) return known
  const list = columnsOf(resource, resource.columns)
  lists.set(resource, list)
  return list
}

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
