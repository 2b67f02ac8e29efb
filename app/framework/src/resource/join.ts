import type { Expression, SqlBool } from 'kysely'
/** What stores a column with the ids of several other records: see `joinTable`. `records` is the table of the resource. */
export interface Join {
  /** Returns SQL for the ids of a row, as JSON. With `seen`, only for those that this query returns. */
  ids(records: string, seen?: Expression<unknown>): Expression<unknown>
  /** Returns the condition that a row has one of the ids that this query returns. */
  has(records: string, ids: Expression<unknown>): Expression<SqlBool>
  /** Returns the condition that a row has as many of these ids. */
  hasAll(records: string, ids: Expression<unknown>, count: number): Expression<SqlBool>
  /** Stores exactly the ids in this column of each row. Called after the rows are written, in the same transaction. */
  store(records: string, column: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>
}
