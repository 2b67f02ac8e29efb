import type { FilterField } from '../resource/filter-controls.ts'
import type { ListState } from './list-state.ts'

/** The page sizes of a list. */
export interface PageSizes {
  /** The size of a page if the request has no valid `size`. */
  readonly default: number
  /** The largest size. Larger sizes are reduced to it. */
  readonly max: number
}

/** The page size of a request without a valid `size`, unless the list declares another. */
export const DEFAULT_PAGE_SIZE = 20

/** The largest page size, unless the list declares another. Larger sizes are reduced to it. */
export const MAX_PAGE_SIZE = 100

/** The largest `max` that a list may declare. Longer results are the task of batches, which hold one part in memory. */
const LIMIT = 10_000

/**
 * Returns the declared page sizes, with `DEFAULT_PAGE_SIZE` and `MAX_PAGE_SIZE` for missing ones. A smaller `max` also
 * reduces the default. Throws a `RangeError` unless both are whole numbers and the default is at most `max`.
 */
export function pageSizes(declared: Partial<PageSizes> = {}): PageSizes {
  const { max = MAX_PAGE_SIZE } = declared
  const { default: usual = Math.min(DEFAULT_PAGE_SIZE, max) } = declared
  if (isBetween(max, 1, LIMIT) && isBetween(usual, 1, max)) return Object.freeze({ default: usual, max })
  throw new RangeError(
    `A pageSize must have a max from 1 to ${LIMIT} and a default from 1 to max, in whole numbers; ` +
      `got max ${max} and default ${usual}.`,
  )
}

const isBetween = (number: number, min: number, max: number): boolean =>
  Number.isInteger(number) && number >= min && number <= max

/** The list that a page belongs to, for its controls. Its fields are private, so that tests can compare two pages. */
class PageList {
  readonly #sizes: PageSizes
  readonly #state: (() => ListState) | undefined

  constructor(sizes: PageSizes, state?: () => ListState) {
    this.#sizes = sizes
    this.#state = state
  }

  get sizes(): PageSizes {
    return this.#sizes
  }

  /** Returns the order, the search and the filters of its rows. Undefined for a page of other rows. */
  get state(): (() => ListState) | undefined {
    return this.#state
  }
}

/** The property of a page with its list. JSON doesn't contain it, and a copy of the page has it. */
const LIST = Symbol('list')

const listOf = (page: object) => (page as { [LIST]?: PageList })[LIST]

/**
 * Adds the list that a page belongs to, and returns the page: its page sizes, for the size form, and the order, the search
 * and the filters of its rows, for the headings and the search form.
 */
export const ofList = <Page extends object>(page: Page, sizes: PageSizes, state?: () => ListState): Page =>
  Object.assign(page, { [LIST]: new PageList(sizes, state) })

/** Returns the state of a page of a repository. Throws for another page. */
export function stateOfPage(page: object): ListState {
  const state = listOf(page)?.state
  if (state !== undefined) return state()
  throw new Error(
    'The controls of a list need a page of a repository, or else the result of listQuery(req, …).',
  )
}

/** Gives a page of a repository other controls of its filters, and returns the page. */
export function withControls<Page extends object>(page: Page, controls: readonly FilterField[]): Page {
  const state = { ...stateOfPage(page), controls }
  return ofList(page, listOf(page)?.sizes ?? pageSizes(), () => state)
}

/** Returns the sizes that the form of a page offers: 10, 20, 50 and so on, the default, and the largest. */
export function sizeChoices(page: object): number[] {
  const { default: usual, max } = listOf(page)?.sizes ?? pageSizes()
  return [...ROUND.filter((size) => size < max), usual, max]
}

const ROUND = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]
