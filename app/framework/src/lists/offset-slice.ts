import { sql } from 'kysely'
import { executor, databaseContext } from '../database/executor.ts'
import { listMark, TOTAL } from '../database/query-marks.ts'
import { anyTables } from '../rows/statements.ts'
import type { PageRequest } from '../pagination/page-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { countQuery, exactCount } from './count-rows.ts'
import { foundRows, MOST_FOUND } from './found-rows.ts'
import { type AnyNumber, lists } from './list-statement.ts'
import type { ListOptions, ListSource, Query } from './list-source.ts'

/**
 * Beyond this offset, the ids of a page are found before its rows. Postgres then computes no other columns for the rows
 * before the page, and doesn't read these rows at all if an index has the order and the conditions. Finding the rows by
 * their ids takes about 0.1 ms, as long as skipping 1,000 rows.
 */
const IDS_FIRST = 1_000

/** The first pages, which most requests ask for. For each, Postgres keeps a plan. */
const FIRST_PAGES = 5

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
  { source, options, request }: SliceQuery<R>,
  { counted, countUpTo }: Counts,
): Promise<Slice<RowOf<R>>> {
  const { limit, offset } = request
  const isFound = source.isNarrowed(options) && counted !== null && counted <= MOST_FOUND
  const isDeep = !isFound && offset > IDS_FIRST
  // A statement with a count can't lock its rows.
  const isCounted = countUpTo !== null && databaseContext().locksReads === undefined
  const most = isCounted && countUpTo < Infinity ? [countUpTo + 1] : []
  const stored = await lists.execute({
    resource: source.resource,
    shape: isFound ? null : source.shape(options, [isDeep, isCounted, most.length].join()),
    condition: source.condition(options),
    numbers: [limit + 1, offset, ...most],
    isFrequent: limit === request.sizes.default && request.page <= FIRST_PAGES,
    build({ condition, numbers: [take = 0, skipped = 0, countedRows] }) {
      const narrowed = () => source.narrowed(options, condition)
      const cut = <Row>(rows: Query<Row>) => source.ordered(options, rows).limit(take).offset(skipped)
      const rows = source.rows(options, condition)
      const slice = isDeep
        ? source.ordered(options, rows.where('id', 'in', cut(narrowed().select('id'))))
        : cut(isFound ? foundRows(rows) : rows)
      if (!isCounted) return slice
      // The slice has this order already, so that Postgres sorts nothing.
      return source.ordered(options, withTotal(slice, take, countQuery(narrowed(), countedRows)))
    },
  })
  const total = stored[limit]?.[TOTAL] as string | undefined
  return {
    items: source.toRows(stored.slice(0, limit)),
    hasNext: stored.length > limit,
    total: total === undefined ? null : exactCount(total),
  }
}

/**
 * Adds the number of rows in the list to the row after the page. Postgres counts them once, and only if this row
 * exists:
 *
 * `select "page".*, case when row_number() over () = 21 then (select count(*) …) end as "__total" from (…) as "page"`
 */
function withTotal(slice: Query<Stored>, take: AnyNumber, count: Query<object>): Query<Stored> {
  const page = anyTables(executor())
    .selectFrom(slice.as('page'))
    .modifyFront(listMark())
    .selectAll('page')
    .select(sql`case when row_number() over () = ${take} then ${count} end`.as(TOTAL))
  return page as unknown as Query<Stored>
}
