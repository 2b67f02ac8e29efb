import { sql } from 'kysely'
import { executor, place } from '../database/executor.ts'
import { listMark, TOTAL } from '../database/query-marks.ts'
import { anyTables } from '../database/statements.ts'
import type { PageRequest } from '../pagination/page-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { countQuery, exactCount } from './count-rows.ts'
import { foundRows, MOST_FOUND } from './found-rows.ts'
import type { ListOptions, ListSource, Query } from './list-source.ts'

/**
 * Beyond this offset, the ids of a page are found before its rows. Postgres then computes no other columns for the rows
 * before the page, and doesn't read these rows at all if an index has the order and the conditions. Finding the rows by
 * their ids takes about 0.1 ms, as long as skipping 1,000 rows.
 */
const IDS_FIRST = 1_000

export interface SliceQuery<R extends Resource> {
  source: ListSource<R>
  request: PageRequest
  options: ListOptions<R>
}

/** The rows of a page. */
export interface Slice<Row> {
  readonly items: readonly Row[]
  /** True if more rows follow. */
  readonly hasNext: boolean
  /** The number of rows in the list. Null if it was not requested, and if no rows follow. */
  readonly total: number | null
}

interface Counts {
  /** The number of rows in the list, if it is known. */
  counted: number | null
  /** Counts the rows in the same statement: at most this number and one more. Null to count no rows. */
  countUpTo: number | null
}

type Stored = Record<string, unknown>

/**
 * Reads the rows of the page and one additional row, which shows whether more rows follow. On the last page, the count
 * is then unnecessary.
 */
export async function readOffsetSlice<R extends Resource>(
  query: SliceQuery<R>,
  { counted, countUpTo }: Counts,
): Promise<Slice<RowOf<R>>> {
  const { source, request } = query
  const { limit } = request
  const slice = sliceQuery(query, counted)
  const toRows = source.reader()
  // A statement with a count can't lock its rows.
  const isCounted = countUpTo !== null && place().locksReads === undefined
  const stored = await (isCounted ? withTotal(query, slice, countUpTo) : slice).execute()
  const total = stored[limit]?.[TOTAL] as string | undefined
  return {
    items: toRows(stored.slice(0, limit)),
    hasNext: stored.length > limit,
    total: total === undefined ? null : exactCount(total),
  }
}

function sliceQuery<R extends Resource>(
  { source, request, options }: SliceQuery<R>,
  counted: number | null,
): Query<Stored> {
  const { limit, offset } = request
  const cut = <Row>(rows: Query<Row>) =>
    source
      .ordered(options, rows)
      .limit(limit + 1)
      .offset(offset)
  const rows = source.rows(options)
  const isFound = source.isSearch(options) && counted !== null && counted <= MOST_FOUND
  const isDeep = !isFound && offset > IDS_FIRST
  return isDeep
    ? source.ordered(options, rows.where('id', 'in', cut(source.narrowed(options).select('id'))))
    : cut(isFound ? foundRows(rows) : rows)
}

/**
 * Adds the number of rows in the list to the row after the page. Postgres counts them once, and only if this row
 * exists:
 *
 * `select "page".*, case when row_number() over () > 20 then (select count(*) …) end as "__total" from (…) as "page"`
 */
function withTotal<R extends Resource>(
  { source, request, options }: SliceQuery<R>,
  slice: Query<Stored>,
  countUpTo: number,
): Query<Stored> {
  const count = countQuery(source, options, countUpTo)
  const page = anyTables(executor())
    .selectFrom(slice.as('page'))
    .modifyFront(listMark())
    .selectAll('page')
    .select(sql`case when row_number() over () > ${request.limit} then ${count} end`.as(TOTAL))
  // The slice has this order, so that Postgres sorts nothing.
  return source.ordered(options, page as unknown as Query<Stored>)
}
