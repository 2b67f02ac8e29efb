import { type Page, toCappedPage, toPage, toUncountedPage, type UncountedPage } from '../pagination/page.ts'
import type { PageRequest } from '../pagination/page-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { capOf, type CountMode, countRows, countRowsUpTo } from './count-rows.ts'
import { foundRows, MOST_FOUND } from './found-rows.ts'
import type { ListOptions, ListSource, Query } from './list-source.ts'

interface PageOptions<R extends Resource> extends ListOptions<R> {
  /**
   * Defaults to `'exact'`. `{ cap: n }` stops counting at n rows: if there are more, the page has `total_is_capped`.
   * Later pages can still be requested, up to row 100,000; a page beyond it is empty. `'none'` omits the totals.
   */
  count?: CountMode
  /** Reads the rows and their count in one snapshot, so that the total matches the rows. */
  consistent?: boolean
}

export interface OffsetPages<R extends Resource> {
  /** Returns how many rows the list has. Costs one `count(*)`, which reads them all. */
  count(options?: ListOptions<R>): Promise<number>
  /**
   * Returns one page. Costs a query for the rows and one for the count, which is skipped if the page is the last one of
   * a list without a search.
   * Rejects with a `RangeError` if the cap is not a whole number from 1.
   */
  page(request: PageRequest, options: PageOptions<R> & { count: 'none' }): Promise<UncountedPage<RowOf<R>>>
  page(
    request: PageRequest,
    options?: PageOptions<R> & { count?: Exclude<CountMode, 'none'> },
  ): Promise<Page<RowOf<R>>>
  page(request: PageRequest, options: PageOptions<R>): Promise<Page<RowOf<R>> | UncountedPage<RowOf<R>>>
}

/** Beyond this offset, a list with an exact count is counted first: a page beyond the end costs only the count. */
const COUNTED_FIRST = 10_000
/** Beyond this offset, a capped list has no pages, so that the cost of a request doesn't grow with its page number. */
const FARTHEST = 100_000
/**
 * Beyond this offset, the ids of a page are found before its rows. Postgres then computes no other columns for the rows
 * before the page, and doesn't read these rows at all if an index has the order and the conditions. Finding the rows by
 * their ids takes about 0.1 ms, as long as skipping 1,000 rows.
 */
const IDS_FIRST = 1_000

export function offsetPages<R extends Resource>(source: ListSource<R>): OffsetPages<R> {
  async function page(request: PageRequest, { count, consistent, ...options }: PageOptions<R> = {}) {
    const query = { source, request, options, cap: capOf(count) }
    const read = () => (count === 'none' ? uncountedPage(query) : countedPage(query))
    return source.reading(options, read, consistent === true ? 'repeatable read' : undefined)
  }
  return {
    count: (options = {}) => source.reading(options, () => countRows(source, options)),
    page: page as OffsetPages<R>['page'],
  }
}

interface PageQuery<R extends Resource> {
  source: ListSource<R>
  request: PageRequest
  options: ListOptions<R>
  cap: number
}

async function uncountedPage<R extends Resource>(query: PageQuery<R>) {
  const found = query.source.isSearch(query.options) ? await countOf(query, MOST_FOUND) : null
  return toUncountedPage(await sliceOf(query, found), query.request)
}

async function countedPage<R extends Resource>(query: PageQuery<R>): Promise<Page<RowOf<R>>> {
  const { request, cap } = query
  const isCapped = cap < Infinity
  const isFar = isCapped && request.offset > Math.max(cap, FARTHEST)
  // The rows before a page are counted even beyond the cap, so that an empty page can link to the last page.
  const reach = isFar ? cap : Math.max(cap, request.offset)
  // The number of results decides how a search is read.
  const isSearch = query.source.isSearch(query.options)
  const isCountedFirst = isSearch || isFar || (!isCapped && request.offset > COUNTED_FIRST)
  const most = isSearch ? Math.max(reach, MOST_FOUND) : reach
  const counted = isCountedFirst ? await countOf(query, most) : null
  if (counted !== null && counted > most && isFar)
    return toCappedPage({ items: [], hasNext: false }, cap, request)
  if (counted !== null && counted <= request.offset) return toPage([], counted, request)
  const slice = await sliceOf(query, counted)
  if (endsHere(slice, request)) return toPage(slice.items, request.offset + slice.items.length, request)
  const total = counted ?? (reaches(cap, slice, request) ? Infinity : await countOf(query, reach))
  return total > reach ? toCappedPage(slice, cap, request) : toPage(slice.items, total, request)
}

const countOf = <R extends Resource>({ source, options }: PageQuery<R>, reach: number) =>
  reach === Infinity ? countRows(source, options) : countRowsUpTo(source, options, reach)

/**
 * Reads the rows of the page and one additional row, which shows whether more rows follow. On the last page, the count
 * is then unnecessary. `counted` is the number of rows in the list, if it is known.
 */
async function sliceOf<R extends Resource>(query: PageQuery<R>, counted: number | null) {
  const { source, request, options } = query
  const { limit, offset } = request
  const cut = <Row>(rows: Query<Row>) =>
    source
      .ordered(options, rows)
      .limit(limit + 1)
      .offset(offset)
  const rows = source.rows(options)
  const isFound = source.isSearch(options) && counted !== null && counted <= MOST_FOUND
  const isDeep = !isFound && offset > IDS_FIRST
  const page = isDeep
    ? source.ordered(options, rows.where('id', 'in', cut(source.narrowed(options).select('id'))))
    : cut(isFound ? foundRows(rows) : rows)
  const items = await source.read(page)
  return { items: items.slice(0, limit), hasNext: items.length > limit }
}

type Slice = Awaited<ReturnType<typeof sliceOf>>

/** Returns whether the list ends with this slice. An empty slice shows this only on the first page. */
const endsHere = ({ items, hasNext }: Slice, { page }: PageRequest) =>
  !hasNext && (items.length > 0 || page === 1)

/** Returns whether the slice alone shows that there are more rows than the cap. */
const reaches = (cap: number, { items, hasNext }: Slice, { offset }: PageRequest) =>
  hasNext && offset + items.length >= cap
