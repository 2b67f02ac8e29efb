import {
  type ListState,
  searchForm,
  type SearchFormOptions,
  sortHeading,
  type SortHeadingOptions,
  wholeListHref,
} from '../pagination/list-controls.ts'
import type { ListAddress } from '../pagination/list-links.ts'
import { toPicker } from '../resource/time-fields.ts'

interface Views {
  render(view: string, data: object): string
}

/** Returns the list helpers of views. `address` is the URL of the current page. The markup is in partials. */
export const listHelpers = (views: Views, address: ListAddress) => ({
  sortHeading: (query: ListState, column: string, options: Omit<SortHeadingOptions, keyof ListAddress>) =>
    views.render('/partials/sort_heading', sortHeading(query, column, { ...address, ...options })),
  searchForm: (query: ListState, options: Omit<SearchFormOptions, keyof ListAddress>) =>
    views.render('/partials/search_form', withPickers(searchForm(query, { ...address, ...options }))),
  wholeListHref: (query: ListState, options: { prefix?: string } = {}) =>
    wholeListHref(query, { ...address, ...options }),
})

/** Converts the bounds of timestamps to the format of date pickers. */
const withPickers = (form: ReturnType<typeof searchForm>) => ({
  ...form,
  ranges: form.ranges.map((range) => ({
    ...range,
    bounds: range.bounds.map((bound) => ({ ...bound, value: toPicker(bound.value) })),
  })),
})
