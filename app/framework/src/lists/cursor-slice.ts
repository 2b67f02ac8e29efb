import { isDeepStrictEqual } from 'node:util'
import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { keysetMark } from '../database/query-marks.ts'
import type { AnyTables } from '../rows/statements.ts'
import type { AnyNumber } from './list-statement.ts'
import { conditionsAfter, type KeyValues, orderTerm, orderText, type SortKey } from '../pagination/keyset.ts'

type Row = Record<string, unknown>
export type SliceQuery = SelectQueryBuilder<AnyTables, 'row', Row>

/** A row, with the values of its keys in columns of their own, and its position in the order. */
export interface Placed {
  readonly row: Row
  readonly place: KeyValues
}

/** The rows of a list without an order. */
export interface SliceRows {
  readonly query: () => SliceQuery
  /**
   * Reads the rows of the query in a range. `order` adds an order and a limit to a query. Omitted for a query of the
   * application.
   */
  readonly read?: (range: Expression<SqlBool> | null, limit: number, order: SliceOrder) => Promise<Row[]>
}

export interface SliceOrder {
  readonly text: string
  add(query: SliceQuery, limit: AnyNumber): SliceQuery
}

interface Slice {
  /** The name of the list, for messages. */
  readonly name: string
  readonly keys: readonly SortKey[]
  /** The slice begins after this position; null for the beginning of the list. */
  readonly after: KeyValues | null
  readonly limit: number
}

/**
 * Returns the next rows of an ordered list, each with its position. Throws if a key without declared `nulls` is null, and
 * if the last row has the position after which the slice begins. This happens if the text of a key is not its exact
 * value.
 */
export async function readSlice(list: SliceRows, { name, keys, after, limit }: Slice): Promise<Placed[]> {
  const ranges = after === null ? [null] : conditionsAfter(keys, after)
  const rows: Placed[] = []
  // Each condition is one range of the index. Usually the first range fills the slice.
  for (const range of ranges) {
    if (rows.length >= limit) break
    rows.push(...(await readRange(list, { keys, range, limit: limit - rows.length })))
  }
  rejectNulls({ name, keys }, rows)
  if (after !== null && isDeepStrictEqual(rows.at(-1)?.place, after)) {
    throw new Error(
      `The cursor pages by (${orderText(keys)}) don't advance: the text of a key is not its exact value. Order by another column.`,
    )
  }
  return rows
}

/** Throws if a row has NULL in a key without declared `nulls`. */
function rejectNulls({ name, keys }: Pick<Slice, 'name' | 'keys'>, rows: readonly Placed[]): void {
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

interface Range {
  keys: readonly SortKey[]
  range: Expression<SqlBool> | null
  limit: number
}

async function readRange(list: SliceRows, { keys, range, limit }: Range): Promise<Placed[]> {
  const order = {
    text: orderText(keys),
    add(query: SliceQuery, most: AnyNumber) {
      const placed = query
        .modifyFront(keysetMark(orderText(keys)))
        .select(keys.map(({ column }, index) => sql<string>`${sql.ref(column)}::text`.as(alias(index))))
      return keys.reduce((so, key) => so.orderBy(orderTerm(key)), placed).limit(most)
    },
  }
  const rows = await (list.read?.(range, limit, order) ??
    order.add(range === null ? list.query() : list.query().where(range), limit).execute())
  return rows.map((row) => ({
    row,
    place: keys.map((_key, index) => row[alias(index)] as string | null),
  }))
}

const ALIAS = '__key'
const alias = (index: number) => `${ALIAS}${index}`

/** Returns the row of a query of the application without the values of its keys. */
export function withoutKeys(row: Row): Row {
  const columns: Row = {}
  // A loop, because lists of entries take several times as long.
  for (const name of Object.keys(row)) if (!name.startsWith(ALIAS)) columns[name] = row[name]
  return columns
}
