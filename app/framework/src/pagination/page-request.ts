import { type ListUrl, listParams, type OfList } from './list-param.ts'
import { pageSizes, type PageSizes } from './page-size.ts'

/** The largest page number. With it, `offset` is still a safe integer, which fits into a bigint of Postgres. */
export const MAX_PAGE = 4_294_967_295

/**
 * The page that a client requests. Never throws: a page that is not a whole number from 1 to 4,294,967,295 becomes
 * 1, a size that is not a whole number from 1 becomes the default of `sizes`, and a size above their maximum becomes
 * the maximum. They are `DEFAULT_PAGE_SIZE` and `MAX_PAGE_SIZE`, unless the list declares others.
 */
export class PageRequest {
  readonly page: number
  readonly size: number
  /** The page sizes of the list. */
  readonly sizes: PageSizes

  constructor(page = 1, size?: number, sizes = pageSizes()) {
    this.page = isCount(page) && page <= MAX_PAGE ? page : 1
    this.size = size !== undefined && isCount(size) ? Math.min(size, sizes.max) : sizes.default
    this.sizes = sizes
  }

  get limit(): number {
    return this.size
  }

  get offset(): number {
    return (this.page - 1) * this.size
  }
}

/** The prefix and the page sizes of a list. A repository that declares a `pageSize` is one, too. */
export interface OfPages extends OfList {
  readonly pageSize?: Partial<PageSizes>
}

/**
 * Reads `page` and `size` from the URL. With `{ prefix: 'comments' }`, reads `comments_page` and `comments_size`. If
 * a parameter is repeated, the last valid value counts. No request makes it throw: see `PageRequest`. Throws a
 * `RangeError` for an invalid `pageSize`.
 *
 * ```ts
 * pageRequest(req, posts) // the page sizes of the repository
 * pageRequest(req, { prefix: 'comments', pageSize: { default: 50, max: 200 } })
 * ```
 */
export function pageRequest(req: ListUrl, list: OfPages = {}): PageRequest {
  const valuesOf = listParams(req, list)
  const page = valuesOf('page').map(wholeNumber)
  const size = valuesOf('size').map(wholeNumber)
  return new PageRequest(
    page.findLast((number) => isCount(number) && number <= MAX_PAGE),
    size.findLast(isCount),
    pageSizes(list.pageSize),
  )
}

const isCount = (number: number): boolean => Number.isInteger(number) && number >= 1

function wholeNumber(text: string): number {
  if (!/^\+?\d+$/.test(text)) return Number.NaN
  // A number with several hundred digits would become Infinity, which is not a whole number.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}
