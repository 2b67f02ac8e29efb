import { type AliasedExpression, type SelectQueryBuilder, sql } from 'kysely'
import type { RowColumnsNode } from '../database/postgres-dialect.ts'
import { weakMemoize } from '../resource/memoize.ts'
import type { Resource } from '../resource/resource.ts'
import type { AnyTables } from './statements.ts'

/** A list of columns for `select` and `returning`. Kysely has no type for several columns in one expression. */
export type Columns = readonly AliasedExpression<unknown, string>[]

/** Queries of ids, by the columns that joins store. The rows have these ids there, and all ids in other columns. */
export type SeenIds = Readonly<Record<string, SelectQueryBuilder<AnyTables, 'row', { id: unknown }>>>

/**
 * Returns the columns of a row, for `select` and `returning`: the declared ones, never `*`. A column that a migration adds
 * can't reach a client before it is declared. The list is made once.
 *
 * `"posts"."id", "posts"."title"`
 */
export const rowColumns: (resource: Resource) => Columns = weakMemoize((resource) =>
  columnsOf(resource, resource.columns),
)

/**
 * Returns these columns of a table: those that it has as one node, since a node for each column would take longer to
 * compile, then those that joins store, with the ids that the caller sees.
 */
export function columnsOf(
  { table, joins }: Resource,
  columns: readonly string[],
  seen: SeenIds = {},
): Columns {
  const prefix = quotedTable(table)
  const own = columns.filter((column) => !(column in joins))
  const text = own.map((column) => `${prefix}.${quoted(column)}`).join(', ')
  const node: RowColumnsNode = Object.freeze({ kind: 'SelectAllNode', columns: text })
  const joined = Object.entries(joins).filter(([column]) => columns.includes(column))
  return [
    { toOperationNode: () => node } as unknown as Columns[number],
    ...joined.map(([column, join]) => sql`${join.ids(table, seen[column])}`.as(column)),
  ]
}

/** Returns the name of a table for SQL. Its schema is quoted separately: `"archive"."posts"`. */
export const quotedTable = (table: string): string => table.split('.').map(quoted).join('.')

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** The name of a column with the ids that the caller sees, beside all of them. */
export const seenName = (column: string) => `seen ${column}`

/** Returns the columns with the ids that the caller sees. They follow the version of a row. */
export const seenColumns = ({ joins, table }: Resource, seen: SeenIds = {}): Columns =>
  Object.entries(seen).map(([column, query]) => sql`${joins[column]?.ids(table, query)}`.as(seenName(column)))
