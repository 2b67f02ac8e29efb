import { type AnyPage, isCapped, lastPage } from './page.ts'
import { wording } from './pager-labels.ts'
import { formBy, type HxAttributes, idOf, type PagerOptions } from './pager-links.ts'

/** A form that asks for the list anew: `kept` is what it sends along unseen, decoded, as forms encode it again. */
export interface PagerForm {
  readonly id: string
  readonly action: string
  readonly hx: HxAttributes
  readonly kept: readonly (readonly [name: string, value: string])[]
  readonly name: string
  readonly label: string
  readonly submit: string
}

export interface PageSizeOptions extends PagerOptions {
  /** Sizes to choose from: 10, 20, 50 and 100 unless told. Requests above `MAX_PAGE_SIZE` are cut down to it. */
  readonly sizes?: readonly number[]
}

export interface PageSizeForm extends PagerForm {
  readonly sizes: readonly { readonly value: number; readonly text: string; readonly selected: boolean }[]
}

/** The choice of how many items a page has. It leads to the first page: the old number would be another place. */
export function pageSizeForm({ size }: { readonly size: number }, options: PageSizeOptions): PageSizeForm {
  const words = wording(options)
  const { label = words.pagination, sizes = [10, 20, 50, 100] } = options
  // The size in use is on offer even where it came from the address alone.
  const offered = [...new Set([...sizes, size])].toSorted((a, b) => a - b)
  return {
    ...formBy('size', options),
    id: `${idOf(label)}-size`,
    label: words.size,
    submit: words.changeSize,
    sizes: offered.map((value) => ({ value, text: words.number(value), selected: value === size })),
  }
}

export interface PageJumpForm extends PagerForm {
  /** Null where nobody knows the last page. */
  readonly max: number | null
}

/** The form that asks for a page by its number. */
export function pageJumpForm(page: AnyPage, options: PagerOptions): PageJumpForm {
  const words = wording(options)
  const { label = words.pagination } = options
  return {
    ...formBy('page', options),
    id: `${idOf(label)}-jump`,
    label: words.jump,
    submit: words.go,
    max: isCapped(page) ? null : lastPage(page),
  }
}
