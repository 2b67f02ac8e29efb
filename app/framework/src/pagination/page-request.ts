import { type ListUrl, listParams, type OfList } from './list-param.ts'

/** The page size of a request without a valid `size`. */
export const DEFAULT_PAGE_SIZE = 20

/** The largest page size. Larger sizes are reduced to it. */
export const MAX_PAGE_SIZE = 100
/** The largest page number. With it, `offset` is still a safe integer, which fits into a bigint of Postgres. */
export const MAX_PAGE = 4_294_967_295

/**
 * The page that a client requests. Never throws: a page that is not a whole number from 1 to 4,294,967,295 becomes
 * 1, a size that is not a whole number from 1 becomes `DEFAULT_PAGE_SIZE`, and a size above `MAX_PAGE_SIZE` becomes
 * `MAX_PAGE_SIZE`.
 */
export class PageRequest {
  readonly page: number
  readonly size: number

  constructor(page = 1, size = DEFAULT_PAGE_SIZE) {
    this.page = isCount(page) && page <= MAX_PAGE ? page : 1
    this.size = isCount(size) ? Math.min(size, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE
  }

  get limit(): number {
    return this.size
  }

  get offset(): number {
    return (this.page - 1) * this.size
  }
}

/**
 * Reads `page` and `size` from the URL. With `{ prefix: 'comments' }`, reads `comments_page` and `comments_size`. If
 * a parameter is repeated, the last valid value counts. Never throws: see `PageRequest`.
 */
export function pageRequest(req: ListUrl, list?: OfList): PageRequest {
  const valuesOf = listParams(req, list)
  const page = valuesOf('page').map(wholeNumber)
  const size = valuesOf('size').map(wholeNumber)
  return new PageRequest(
    page.findLast((number) => isCount(number) && number <= MAX_PAGE),
    size.findLast(isCount),
  )
}

const isCount = (number: number): boolean => Number.isInteger(number) && number >= 1

function wholeNumber(text: string): number {
  if (!/^\+?\d+$/.test(text)) return Number.NaN
  // A number with several hundred digits would become Infinity, which is not a whole number.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}
