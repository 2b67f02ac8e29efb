import type { Eta } from 'eta'
import { searchForm, type SearchFormOptions, sortHeading } from '../../pagination/list-controls.ts'
import { isBounds, type ListState } from '../../pagination/list-state.ts'
import { pageInfo } from '../../pagination/page-info.ts'
import type { AnyPage } from '../../pagination/page.ts'
import { pagerModel } from '../../pagination/pager.ts'
import { pageJumpForm, pageSizeForm } from '../../pagination/pager-forms.ts'
import type { PagerLanguage } from '../../pagination/pager-labels.ts'
import { toPicker } from '../../resource/fields/time-fields.ts'
import { html, type Html } from './html.ts'

/** The partials of numbered pages, and the functions that return their data. */
const MODELS = {
  pagination_nav: pagerModel,
  page_info: infoModel,
  page_size: pageSizeForm,
  page_jump: pageJumpForm,
  sort_heading: sortHeading,
  search_form: pickerForm,
} satisfies Record<string, (...args: never[]) => object | null>

export type Models = typeof MODELS
export type Name = keyof Models

/** Returns the HTML of a partial for these arguments. */
export const listView = <Each extends Name>(
  views: Eta,
  name: Each,
  ...args: Parameters<Models[Each]>
): Html => html(listViews.render(views, name, args))

/** How partials of lists are rendered. `speed/` replaces it by one that reuses the HTML. */
export const listViews: { render: typeof renderListView } = { render: renderListView }

export function renderListView(views: Eta, name: Name, args: readonly unknown[]): string {
  const model = (MODELS[name] as (...args: readonly unknown[]) => object | null)(...args)
  return model === null ? '' : views.render(`/partials/${name}`, model)
}

function infoModel(page: AnyPage, language: PagerLanguage) {
  const text = pageInfo(page, language)
  return text === null ? null : { text }
}

/** Returns the search form with the bounds of timestamps in the format of date pickers. */
function pickerForm(query: ListState, options: SearchFormOptions) {
  const filters = Object.entries(query.filters).map(([name, value]) => [
    name,
    isBounds(value) ? { from: inPicker(value.from), to: inPicker(value.to) } : value,
  ])
  return searchForm({ ...query, filters: Object.fromEntries(filters) as ListState['filters'] }, options)
}

const inPicker = <T>(bound: T) => (typeof bound === 'string' ? toPicker(bound) : bound)
