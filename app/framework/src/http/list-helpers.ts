import {
  type ListState,
  searchForm,
  type SearchFormOptions,
  sortHeading,
  type SortHeadingOptions,
  wholeListHref,
} from '../pagination/list-controls.ts'
import type { ListAddress } from '../pagination/list-links.ts'

interface Views {
  render(view: string, data: object): string
}

/** Returns the list helpers of views. `address` is the URL of the current page. The markup is in partials. */
export const listHelpers = (views: Views, address: ListAddress) => ({
  sortHeading: (query: ListState, column: string, options: Omit<SortHeadingOptions, keyof ListAddress>) =>
    views.render('/partials/sort_heading', sortHeading(query, column, { ...address, ...options })),
  searchForm: (query: ListState, options: Omit<SearchFormOptions, keyof ListAddress>) =>
    views.render('/partials/search_form', searchForm(query, { ...address, ...options })),
  wholeListHref: (query: ListState, options: { prefix?: string } = {}) =>
    wholeListHref(query, { ...address, ...options }),
})
