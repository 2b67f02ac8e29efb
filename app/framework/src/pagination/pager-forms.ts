import { type AnyPage, isCapped, lastPage } from './page.ts'
import { wording } from './pager-labels.ts'
import { formBy, elementId, type PagerOptions } from './pager-links.ts'
import { sizeChoices } from './page-size.ts'

export interface PageSizeOptions extends PagerOptions {
  /** Sizes to choose from; defaults to 10, 20, 50 and so on, up to the largest size of the list. */
  readonly sizes?: readonly number[]
}

/**
 * Returns the template data of the form for the page size. The form requests the first page, because the current page
 * number would show other items with another size.
 */
export function pageSizeForm(page: { readonly size: number }, options: PageSizeOptions) {
  const { size } = page
  const words = wording(options)
  const { label = words.pagination, sizes = sizeChoices(page) } = options
  // The current size is always a choice. The URL may contain a size that is not in `sizes`.
  const offered = [...new Set([...sizes, size])].toSorted((a, b) => a - b)
  const form = formBy('size', options)
  return {
    ...form,
    hx: form.hx.length === 0 ? form.hx : [...form.hx, ['hx-trigger', 'submit, change']],
    id: `${elementId(label)}-size`,
    label: words.size,
    submit: words.changeSize,
    sizes: offered.map((value) => ({ value, text: words.number(value), selected: value === size })),
  }
}

/** Returns the template data of the form that jumps to a page. `max` is null if the last page is unknown. */
export function pageJumpForm(page: AnyPage, options: PagerOptions) {
  const words = wording(options)
  const { label = words.pagination } = options
  return {
    ...formBy('page', options),
    id: `${elementId(label)}-jump`,
    label: words.jump,
    submit: words.go,
    max: isCapped(page) ? null : lastPage(page),
  }
}
