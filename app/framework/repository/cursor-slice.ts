import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { type AnyTables, anyTables, keysetMark, LIST } from '../database/statements.ts'
import { conditionsAfter, type KeyValues, orderTerm, orderText, type SortKey } from '../pagination/keyset.ts'

type Row = Record<string, unknown>
export type SliceQuery = SelectQueryBuilder<AnyTables, 'row', Row>

/** A row, and its place in the order. */
export interface Placed {
  readonly row: Row
  readonly place: KeyValues
}

interface Slice {
  readonly keys: readonly SortKey[]
  /** Strictly after this place; from the beginning without one. */
  readonly after: KeyValues | null
  readonly limit: number
}

/**
 * The next rows of an ordered list. The keys come along as text and are taken out of the rows again. Throws where the
 * last of them stands where the walk came from, which only a type whose text isn't its value can do.
 */
export async function readSlice(query: SliceQuery, slice: Slice): Promise<Placed[]> {
  const rows = await sliceOf(query, slice).execute()
  const placed = rows.map((row) => ({ row, place: slice.keys.map((_key, index) => taken(row, text(index))) }))
  if (slice.after !== null && isDeepStrictEqual(placed.at(-1)?.place, slice.after)) {
    throw new Error(
      `A walk by (${orderText(slice.keys)}) stands still: the text of a key is not its exact value. Order by another column.`,
    )
  }
  return placed
}

/** In place: the row is fresh from the driver, and nobody else has it yet. */
function taken(row: Row, column: string): string | null {
  const value = row[column] as string | null
  delete row[column]
  delete row[column.replace(TEXT, SORT)]
  return value
}

const TEXT = '__key'
const SORT = '__sort'
const text = (index: number) => `${TEXT}${index}`
const sort = (index: number) => `${SORT}${index}`

/**
 * One range of an index, or a few of them side by side: each is ordered and cut off by itself, so that what follows has
 * to merge no more than a page of each.
 */
function sliceOf(query: SliceQuery, { keys, after, limit }: Slice): SliceQuery {
  const placed = query
    .modifyFront(sql.raw(keysetMark(orderText(keys))))
    .select(keys.map(({ column }, index) => sql<string>`${sql.ref(column)}::text`.as(text(index))))
  const [first, ...more] = after === null ? [] : conditionsAfter(keys, after)
  if (first === undefined) return ordered(placed, keys, byColumn).limit(limit)
  if (more.length === 0) return ordered(placed.where(first), keys, byColumn).limit(limit)
  const sorted = placed.select(keys.map(({ column }, index) => sql`${sql.ref(column)}`.as(sort(index))))
  const ranges = [first, ...more].map((condition) =>
    fromSlice(ordered(sorted.where(condition), keys, byColumn).limit(limit)),
  )
  const together = ranges.reduce((union, range) => union.unionAll(range))
  return ordered(fromSlice(together), keys, (_key, index) => sql.ref(sort(index))).limit(limit)
}

const byColumn = ({ column }: SortKey) => sql.ref(column)

const fromSlice = (slice: SliceQuery): SliceQuery =>
  anyTables(executor()).selectFrom(slice.as('row')).modifyFront(sql.raw(LIST)).selectAll()

const ordered = (
  query: SliceQuery,
  keys: readonly SortKey[],
  by: (key: SortKey, index: number) => RawBuilder<unknown>,
): SliceQuery => keys.reduce((so, key, index) => so.orderBy(orderTerm(key, by(key, index))), query)
