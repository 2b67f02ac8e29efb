import type { Eta } from 'eta'
import {
  type ListState,
  type SearchFormOptions,
  type SortHeadingOptions,
  wholeListHref,
} from '../pagination/list-controls.ts'
import type { ListAddress } from '../pagination/list-links.ts'
import { listView } from './list-views.ts'

/** Returns the list helpers of views. `address` is the URL of the current page. The markup is in partials. */
export const listHelpers = (views: Eta, address: ListAddress) => ({
  sortHeading: (query: ListState, column: string, options: Omit<SortHeadingOptions, keyof ListAddress>) =>
    listView(views, 'sort_heading', query, column, { ...address, ...options }),
  searchForm: (query: ListState, options: Omit<SearchFormOptions, keyof ListAddress>) =>
    listView(views, 'search_form', query, { ...address, ...options }),
  wholeListHref: (query: ListState, options: { prefix?: string } = {}) =>
    wholeListHref(query, { ...address, ...options }),
})
