import type { Expression, SqlBool } from 'kysely'
import type { RecordId } from './tables.ts'

/** What stores a column with the ids of several other records: see `joinTable`. `records` is the table of the resource. */
export interface Join {
  /** Returns SQL for the ids of a row, as JSON. With `seen`, only for those that this query returns. */
  ids(records: string, seen?: Expression<unknown>): Expression<unknown>
  /** Returns the condition that a row has one of the ids that this query returns. */
  has(records: string, ids: Expression<unknown>): Expression<SqlBool>
  /** Stores exactly these ids for each of the rows. Called after they are written, in the same transaction. */
  store(records: string, rows: readonly RowIds[]): Promise<void>
}

interface RowIds {
  readonly id: RecordId
  readonly ids: readonly RecordId[]
}
