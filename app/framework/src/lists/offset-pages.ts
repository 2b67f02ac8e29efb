import { inTransaction } from '../database/transaction.ts'
import { type Page, toCappedPage, toPage, toUncountedPage, type UncountedPage } from '../pagination/page.ts'
import type { PageRequest } from '../pagination/page-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { type CountMode, countRows, countRowsUpTo } from './count-rows.ts'
import type { ListOptions, ListSource } from './list-source.ts'

export interface PageOptions<R extends Resource> extends ListOptions<R> {
  /**
   * `'exact'` by default. `{ cap: n }` stops counting at n rows: if there are more, the page has `total_is_capped`, and
   * later pages can still be requested. `'none'` leaves the totals out.
   */
  count?: CountMode
  /** Reads rows and count in one snapshot, so that they agree whatever is written meanwhile. */
  consistent?: boolean
}

export interface OffsetPages<R extends Resource> {
  /** Returns how many rows the list has. Costs one `count(*)`, which reads them all. */
  count(options?: ListOptions<R>): Promise<number>
  /**
   * Returns one page. Costs a query for the rows and one for the count, which is skipped if the page is the last one.
   * Rejects with a `RangeError` if the cap is not a whole number from 1.
   */
  page(request: PageRequest, options: PageOptions<R> & { count: 'none' }): Promise<UncountedPage<RowOf<R>>>
  page(
    request: PageRequest,
    options?: PageOptions<R> & { count?: Exclude<CountMode, 'none'> },
  ): Promise<Page<RowOf<R>>>
}

/** Counting first is cheaper from here on: beyond this offset a page costs as much as the count does. */
const DEEP_OFFSET = 10_000

export function offsetPages<R extends Resource>(source: ListSource<R>): OffsetPages<R> {
  async function page(request: PageRequest, { count, consistent, ...options }: PageOptions<R> = {}) {
    const asked = { source, request, options, cap: capOf(count) }
    const read = () => (count === 'none' ? uncountedPage(asked) : countedPage(asked))
    return consistent === true ? inTransaction(read, { isolation: 'repeatable read' }) : read()
  }
  return {
    count: (options = {}) => countRows(source, options),
    page: page as OffsetPages<R>['page'],
  }
}

/** Infinite without one. */
function capOf(count: CountMode = 'exact'): number {
  if (typeof count === 'string') return Infinity
  if (Number.isSafeInteger(count.cap) && count.cap > 0) return count.cap
  throw new RangeError(`A cap is how many rows are counted, a whole number from 1; got ${String(count.cap)}.`)
}

interface Asked<R extends Resource> {
  source: ListSource<R>
  request: PageRequest
  options: ListOptions<R>
  cap: number
}

const uncountedPage = async <R extends Resource>(asked: Asked<R>) =>
  toUncountedPage(await sliceOf(asked), asked.request)

async function countedPage<R extends Resource>(asked: Asked<R>): Promise<Page<RowOf<R>>> {
  const { request, cap } = asked
  // A list that ends before the page is counted to its end, so that there is a last page to go back to.
  const reach = Math.max(cap, request.offset)
  const counted = request.offset > DEEP_OFFSET ? await countOf(asked, reach) : null
  if (counted !== null && counted <= request.offset) return toPage([], counted, request)
  const slice = await sliceOf(asked)
  if (endsHere(slice, request)) return toPage(slice.items, request.offset + slice.items.length, request)
  const total = counted ?? (reaches(cap, slice, request) ? Infinity : await countOf(asked, reach))
  return total > reach ? toCappedPage(slice, cap, request) : toPage(slice.items, total, request)
}

const countOf = <R extends Resource>({ source, options }: Asked<R>, reach: number) =>
  reach === Infinity ? countRows(source, options) : countRowsUpTo(source, options, reach)

/** One row more is read than asked for: it says whether any follow, and proves the total where none do. */
async function sliceOf<R extends Resource>({ source, request, options }: Asked<R>) {
  const { limit, offset } = request
  const rows = source
    .ordered(options)
    .limit(limit + 1)
    .offset(offset)
  const items = await source.read(rows)
  return { items: items.slice(0, limit), hasNext: items.length > limit }
}

type Found = Awaited<ReturnType<typeof sliceOf>>

/** The list ends with this slice. An empty one proves that only where it is the first. */
const endsHere = ({ items, hasNext }: Found, { page }: PageRequest) =>
  !hasNext && (items.length > 0 || page === 1)

/** The slice shows by itself that there are more rows than are counted. */
const reaches = (cap: number, { items, hasNext }: Found, { offset }: PageRequest) =>
  hasNext && offset + items.length >= cap
