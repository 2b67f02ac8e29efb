import type { Eta } from 'eta'
import type { CursorPage } from '../../pagination/cursor-page.ts'
import {
  type SearchFormOptions,
  type SortHeadingOptions,
  wholeListHref,
} from '../../pagination/list-controls.ts'
import type { ListAddress } from '../../pagination/list-links.ts'
import type { ListState } from '../../pagination/list-state.ts'
import type { AnyPage } from '../../pagination/page.ts'
import { stateOfPage } from '../../pagination/page-size.ts'
import { listView } from './list-views.ts'

/** A page of a repository, or the list query of the request. */
type Listed = AnyPage | CursorPage<unknown> | ListState

const stateOf = (list: Listed): ListState => ('content' in list ? stateOfPage(list) : list)

/** Only the order, so that pages with other filters share the HTML. */
function orderOf(list: Listed): ListState {
  const { sort, dir } = stateOf(list)
  return { sort, dir, q: '', filters: {} }
}

/** Returns the list helpers of views. `address` is the URL of the current page. The markup is in partials. */
export const listHelpers = (views: Eta, address: ListAddress) => ({
  sortHeading: (list: Listed, column: string, options: Omit<SortHeadingOptions, keyof ListAddress>) =>
    listView(views, 'sort_heading', orderOf(list), column, { ...address, ...options }),
  searchForm: (list: Listed, options: Omit<SearchFormOptions, keyof ListAddress>) =>
    listView(views, 'search_form', stateOf(list), { ...address, ...options }),
  wholeListHref: (list: Listed, options: { prefix?: string } = {}) =>
    wholeListHref(stateOf(list), { ...address, ...options }),
})
