import { type Page, toCappedPage, toPage, toUncountedPage, type UncountedPage } from '../pagination/page.ts'
import { ofList } from '../pagination/page-size.ts'
import type { PageRequest } from '../pagination/page-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { capOf, type CountMode, countRows } from './count-rows.ts'
import { MOST_FOUND } from './found-rows.ts'
import type { ListOptions, ListSource } from './list-source.ts'
import { readOffsetSlice, type Slice, type SliceQuery } from './offset-slice.ts'

interface PageOptions<R extends Resource> extends ListOptions<R> {
  /**
   * Defaults to `'exact'`. `{ cap: n }` stops counting at n rows: if there are more, the page has `total_is_capped`.
   * Later pages can still be requested, up to twice the cap or row 1,000; a page beyond it is empty. `'none'` omits the
   * totals.
   */
  count?: CountMode
  /**
   * Reads the rows and their count in one snapshot, so that the total matches the rows, even if they are read by two
   * statements.
   */
  consistent?: boolean
}

export interface OffsetPages<R extends Resource> {
  /** Returns how many rows the list has. Costs one `count(*)`, which reads them all. */
  count(options?: ListOptions<R>): Promise<number>
  /**
   * Returns one page. Costs one query, which counts the rows unless the page is the last one. A search, a filter, a page beyond
   * row 10,000 of an exact list and an empty page cost a second query for the count.
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
/** A capped list has no pages from twice its cap and from this offset, so that each costs about as much as the first. */
const NEAR = 1_000

export function offsetPages<R extends Resource>(source: ListSource<R>): OffsetPages<R> {
  async function page(request: PageRequest, { count, consistent, ...options }: PageOptions<R> = {}) {
    const query = { source, request, options, cap: capOf(count) }
    const read = () => (count === 'none' ? uncountedPage(query) : countedPage(query))
    const isolation = consistent === true ? 'repeatable read' : undefined
    const page = await source.reading<object>(options, read, isolation)
    return ofList(page, request.sizes, () => source.state(options))
  }
  return {
    count: (options = {}) => source.reading(options, () => countRows(source, options)),
    page: page as OffsetPages<R>['page'],
  }
}

interface PageQuery<R extends Resource> extends SliceQuery<R> {
  cap: number
}

async function uncountedPage<R extends Resource>(query: PageQuery<R>) {
  const found = query.source.isNarrowed(query.options) ? await countOf(query, MOST_FOUND) : null
  return toUncountedPage(await readOffsetSlice(query, { counted: found, countUpTo: null }), query.request)
}

async function countedPage<R extends Resource>(query: PageQuery<R>): Promise<Page<RowOf<R>>> {
  const { request, cap } = query
  const end = Math.max(2 * cap, NEAR)
  const isBeyond = request.offset >= end
  // The number of results decides how they are read.
  const isNarrowed = query.source.isNarrowed(query.options)
  const isCountedFirst = isNarrowed || isBeyond || (cap === Infinity && request.offset > COUNTED_FIRST)
  const most = isNarrowed ? Math.max(cap, MOST_FOUND) : cap
  const counted = isCountedFirst ? await countOf(query, most) : null
  if (counted !== null && counted <= Math.min(request.offset, most)) return toPage([], counted, request)
  if (isBeyond) return toCappedPage({ items: [], hasNext: false }, cap, request)
  // Behind these pages, one more row already shows that there are more rows than the cap.
  const isAtCap = request.offset + request.limit >= cap
  const slice = await readOffsetSlice(query, { counted, countUpTo: counted !== null || isAtCap ? null : cap })
  if (endsHere(slice, request)) return toPage(slice.items, request.offset + slice.items.length, request)
  const total = counted ?? slice.total ?? (isAtCap && slice.hasNext ? Infinity : await countOf(query, cap))
  const hasNext = slice.hasNext && request.offset + request.limit < end
  return total > cap ? toCappedPage({ ...slice, hasNext }, cap, request) : toPage(slice.items, total, request)
}

const countOf = <R extends Resource>({ source, options }: PageQuery<R>, reach: number) =>
  countRows(source, options, reach)

/** Returns whether the list ends with this slice. An empty slice shows this only on the first page. */
const endsHere = ({ items, hasNext }: Slice<unknown>, { page }: PageRequest) =>
  !hasNext && (items.length > 0 || page === 1)
