import type { Eta } from 'eta'
import { searchForm, type SearchFormOptions, sortHeading } from '../../pagination/list-controls.ts'
import { isBounds, type ListState } from '../../pagination/list-state.ts'
import { pageInfo } from '../../pagination/page-info.ts'
import type { AnyPage } from '../../pagination/page.ts'
import { pagerModel } from '../../pagination/pager.ts'
import { pageJumpForm, pageSizeForm } from '../../pagination/pager-forms.ts'
import type { PagerLanguage } from '../../pagination/pager-labels.ts'
import { toPicker } from '../../resource/fields/time-fields.ts'
import { memoize, weakMemoize } from '../../resource/memoize.ts'

/** The partials of numbered pages, and the functions that return their data. */
const MODELS = {
  pagination_nav: pagerModel,
  page_info: infoModel,
  page_size: pageSizeForm,
  page_jump: pageJumpForm,
  sort_heading: sortHeading,
  search_form: pickerForm,
} satisfies Record<string, (...args: never[]) => object | null>

type Models = typeof MODELS
type Name = keyof Models

/** The number of texts that are kept. */
const TEXTS = 500
/** In characters. A pager repeats the query in each link, so a long one would make a text of 100 kB. */
const LONGEST_KEY = 600

/**
 * Returns the HTML of a partial for these arguments. Many requests show the same page numbers, headings and forms, so the
 * HTML of the last 500 arguments is reused, except in development. It is rendered from the JSON of the arguments, so that
 * it depends on nothing else.
 */
export function listView<Each extends Name>(
  views: Eta,
  name: Each,
  ...args: Parameters<Models[Each]>
): string {
  const key = views.config.cache ? keyOf(name, args) : null
  return key === null ? rendered(views, name, args) : reusedText(views)(key)
}

/** Returns null for arguments that JSON can't contain: labels may be functions, and a filter may be a bigint. */
function keyOf(name: Name, args: readonly unknown[]): string | null {
  if ((args.at(-1) as PagerLanguage).labels !== undefined) return null
  try {
    const key = JSON.stringify([name, ...args])
    return key.length <= LONGEST_KEY ? key : null
  } catch {
    return null
  }
}

const reusedText = weakMemoize((views: Eta) =>
  memoize((key: string) => {
    const [name, ...args] = JSON.parse(key) as [Name, ...never[]]
    return rendered(views, name, args)
  }, TEXTS),
)

function rendered(views: Eta, name: Name, args: readonly unknown[]): string {
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
