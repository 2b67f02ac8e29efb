import { type AskedList, listParams, type OfList } from './list-param.ts'

export const DEFAULT_PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100
/** Keeps `offset` a safe integer, far below what Postgres takes for a bigint. */
export const MAX_PAGE = 4_294_967_295

/**
 * Which slice of a list is asked for. Never throws: a page that isn't a whole number from 1 to `MAX_PAGE`
 * is 1, a size that isn't one from 1 is `DEFAULT_PAGE_SIZE`, and one above `MAX_PAGE_SIZE` is cut down to it.
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
 * Reads `page` and `size` from the address, or with a prefix `comments_page` and `comments_size`; of several values
 * the last one that qualifies counts. Whatever the address holds, the answer is a page: lists never refuse their input.
 */
export function pageRequest(req: AskedList, list?: OfList): PageRequest {
  const given = listParams(req, list)
  const page = given('page').map(wholeNumber)
  const size = given('size').map(wholeNumber)
  return new PageRequest(
    page.findLast((number) => isCount(number) && number <= MAX_PAGE),
    size.findLast(isCount),
  )
}

const isCount = (number: number): boolean => Number.isInteger(number) && number >= 1

function wholeNumber(text: string): number {
  if (!/^\+?\d+$/.test(text)) return Number.NaN
  // A few hundred digits would become Infinity, which is no whole number any more.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}
