import { isDeepStrictEqual } from 'node:util'
import { type Expression, sql, type SqlBool } from 'kysely'
import { keysetMark } from '../database/query-marks.ts'
import { conditionsAfter, type KeyValues, orderTerm, orderText, type SortKey } from '../pagination/keyset.ts'
import type { Query } from './list-source.ts'
import type { AnyNumber } from './list-statement.ts'

type Row = Record<string, unknown>

/** The order of the cursor pages of a query, and the response to an invalid token. */
export interface CursorWalk {
  /** The name of the list. Tokens of lists with another name are invalid. */
  readonly name: string
  /** The order. No two rows may have the same values in all keys. A nullable column must declare `nulls`. */
  readonly keys: readonly SortKey[]
  /** The filter of the list, as a JSON value. Tokens of lists with another filter are invalid. */
  readonly filter?: unknown
  /**
   * The response to an invalid token: `restart`, the default, shows the first page, `refuse` throws `InvalidCursor`.
   */
  readonly invalidCursor?: 'restart' | 'refuse' | undefined
}

export interface CursorList extends CursorWalk {
  /** Returns the rows without an order. */
  readonly query: () => Query<Row>
  /** Reads the rows in a range, as `inOrder` orders them. */
  readonly read: (range: Range) => Promise<Row[]>
  /** Identifies the columns of the order, which are checked once. Omitted for a query of the application. */
  readonly checkedAs?: string
}

interface Range {
  /** Null for all rows. */
  readonly condition: Expression<SqlBool> | null
  readonly keys: readonly SortKey[]
  readonly limit: number
}

/** Returns the query with its order, with its limit and with the values of the keys in columns of their own. */
export const inOrder = (query: Query<Row>, keys: readonly SortKey[], limit: AnyNumber): Query<Row> =>
  keys
    .reduce((ordered, key) => ordered.orderBy(orderTerm(key)), query)
    .modifyFront(keysetMark(orderText(keys)))
    .select(keys.map(({ column }, index) => sql<string>`${sql.ref(column)}::text`.as(alias(index))))
    .limit(limit)

/** A row, with the values of its keys in columns of their own, and its position in the order. */
export interface Placed {
  readonly row: Row
  readonly place: KeyValues
}

interface Slice {
  /** The slice begins after this position; null for the beginning of the list. */
  readonly after: KeyValues | null
  readonly limit: number
  /** Defaults to the order of the list. */
  readonly keys?: readonly SortKey[]
}

/**
 * Returns the next rows of an ordered list, each with its position. Throws if a key without declared `nulls` is null, and
 * if the last row has the position after which the slice begins. This happens if the text of a key is not its exact
 * value.
 */
export async function readSlice(
  list: CursorList,
  { after, limit, keys = list.keys }: Slice,
): Promise<Placed[]> {
  const conditions = after === null ? [null] : conditionsAfter(keys, after)
  const rows: Placed[] = []
  // Each condition is one range of the index. Usually the first range fills the slice.
  for (const condition of conditions) {
    if (rows.length >= limit) break
    rows.push(...(await readRange(list, { condition, keys, limit: limit - rows.length })))
  }
  rejectNulls(list.name, keys, rows)
  if (after !== null && isDeepStrictEqual(rows.at(-1)?.place, after)) {
    throw new Error(
      `The cursor pages by (${orderText(keys)}) don't advance: the text of a key is not its exact value. Order by another column.`,
    )
  }
  return rows
}

/** Returns the rows in a range, each with its position. */
export async function readRange(list: CursorList, range: Range): Promise<Placed[]> {
  const rows = await list.read(range)
  return rows.map((row) => ({
    row,
    place: range.keys.map((_key, index) => row[alias(index)] as string | null),
  }))
}

/** Throws if a row has NULL in a key without declared `nulls`. */
function rejectNulls(name: string, keys: readonly SortKey[], rows: readonly Placed[]): void {
  const nullable = keys.find(
    ({ nulls }, index) => nulls === undefined && rows.some(({ place }) => place[index] === null),
  )
  if (nullable !== undefined) throw nullableKey(name, nullable.column)
}

/** Returns the error of cursor pages that would skip rows. */
export const nullableKey = (name: string, column: string) =>
  new Error(
    `The cursor pages of ${name} are ordered by ${column}, which may be null. ` +
      `Make it not null, or declare where its nulls are: '${column} nulls last' in an order, nulls: 'last' in keys.`,
  )

const ALIAS = '__key'
const alias = (index: number) => `${ALIAS}${index}`

/** Returns the row of a query of the application without the values of its keys. */
export function withoutKeys(row: Row): Row {
  const columns: Row = {}
  // A loop, because lists of entries take several times as long.
  for (const name of Object.keys(row)) if (!name.startsWith(ALIAS)) columns[name] = row[name]
  return columns
}
