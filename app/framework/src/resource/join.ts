import type { Expression, SqlBool } from 'kysely'
import { sortedIds } from './record-id.ts'
import type { RecordId } from './tables.ts'

/** What stores a column with the ids of several other records: see `joinTable`. `records` is the table of the resource. */
export interface Join {
  /** Whether the ids have an order of their own, instead of the ascending one. */
  readonly isOrdered: boolean
  /** Returns SQL for the ids of a row, as JSON. With `seen`, only for those that this query returns. */
  ids(records: string, seen?: Expression<unknown>): Expression<unknown>
  /** Returns the condition that a row has one of the ids that this query returns. */
  has(records: string, ids: Expression<unknown>): Expression<SqlBool>
  /** Returns the condition that a row has as many of these ids. */
  hasAll(records: string, ids: Expression<unknown>, count: number): Expression<SqlBool>
  /** Stores exactly the ids in this column of each row. Called after the rows are written, in the same transaction. */
  store(records: string, column: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>
}

export type Joins = Readonly<Record<string, Join>>

/** Returns a list of ids as its join stores it: each once, in order. Returns other values unchanged. */
export function storedValue(joins: Joins, column: string, value: unknown): unknown {
  const join = joins[column]
  if (join === undefined || !Array.isArray(value)) return value
  const ids = value as readonly RecordId[]
  return join.isOrdered ? [...new Set(ids)] : sortedIds(ids)
}

/** Returns values with their lists of ids as the joins store them. */
export const storedValues = (joins: Joins, values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([column, value]) => [column, storedValue(joins, column, value)]),
  )
