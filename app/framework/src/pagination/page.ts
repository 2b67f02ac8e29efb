import type { PageRequest } from './page-request.ts'
import { ofList } from './page-size.ts'

/** One page of a list, as the API sends it. */
export interface Page<T> {
  readonly content: readonly T[]
  /** The requested page, from 1. If it is beyond the last page, `content` is empty. */
  readonly page: number
  readonly size: number
  readonly total_elements: number
  /** 1 or more: an empty list has one empty page. */
  readonly total_pages: number
  /** Set if counting stopped at `total_elements` because the list has more rows. */
  readonly total_is_capped?: true
  readonly has_next: boolean
  readonly has_previous: boolean
}

/** A page of a list that was not counted: it has no totals. */
export type UncountedPage<T> = Omit<Page<T>, 'total_elements' | 'total_pages' | 'total_is_capped'>

/** A numbered page, with or without a count. */
export type AnyPage = Page<unknown> | UncountedPage<unknown>

/**
 * Returns a page from its rows and the count of the whole list. Throws a `RangeError` unless `total` is a whole
 * number from 0. Convert the count first, because drivers return it as text.
 *
 * ```ts
 * toPage(rows, Number(count), pageRequest(req))
 * ```
 */
export function toPage<T>(items: readonly T[], total: number, request: PageRequest): Page<T> {
  if (!Number.isSafeInteger(total) || total < 0) {
    throw new RangeError(
      `toPage needs the count as a whole number, but got the ${typeof total} ${String(total)}. ` +
        'Convert it with Number().',
    )
  }
  const { page, size, sizes } = request
  const totalPages = Math.max(1, Math.ceil(total / size))
  const made = {
    content: items,
    page,
    size,
    total_elements: total,
    total_pages: totalPages,
    has_next: page < totalPages,
    has_previous: page > 1,
  }
  return ofList(made, sizes)
}

interface Slice<T> {
  readonly items: readonly T[]
  /** True if more rows follow. */
  readonly hasNext: boolean
}

/** Returns a page of a list whose count stopped at `cap` rows. The slice shows whether more rows follow. */
export function toCappedPage<T>({ items, hasNext }: Slice<T>, cap: number, request: PageRequest): Page<T> {
  return { ...toPage(items, cap, request), total_is_capped: true, has_next: hasNext }
}

/** Returns a page of a list that was not counted. */
export function toUncountedPage<T>({ items, hasNext }: Slice<T>, request: PageRequest): UncountedPage<T> {
  const { page, size, sizes } = request
  return ofList({ content: items, page, size, has_next: hasNext, has_previous: page > 1 }, sizes)
}

/**
 * Returns the number of the last page. Null without a count, and for a page beyond the counted rows that still has
 * content.
 */
export function lastPage(page: AnyPage): number | null {
  if (!('total_pages' in page)) return null
  return isCapped(page) && page.page > page.total_pages && page.content.length > 0 ? null : page.total_pages
}

export const isCapped = (page: AnyPage): boolean => 'total_is_capped' in page && page.total_is_capped

/**
 * Returns the page number of the previous link. For a page beyond the end, it is the last page, since the page before
 * may be empty too.
 */
export const pageBefore = (page: AnyPage): number => Math.min(page.page - 1, lastPage(page) ?? page.page)
