import { type ListAddress, listHref, paramsBut } from './list-links.ts'
import { listParam, type OfList } from './list-param.ts'
import type { FilterField } from '../resource/filter-controls.ts'
import { isBounds, type ListState, type Scalar } from './list-state.ts'
import { beginning, hxAttributes, type Swap } from './pager-links.ts'
import { choiceField, ENGLISH, rangeField, type SearchLabels } from './search-form/filter-fields.ts'
import { recordField } from './search-form/record-field.ts'

interface Arranging extends ListAddress, Swap, OfList {}

export interface SortHeadingOptions extends Arranging {
  /** The text of the heading, usually the name of the column. */
  readonly label: string
  /** Whether the heading is aligned to the end, like the numbers of its column. */
  readonly number?: boolean
}

/**
 * Returns the template data of a column heading. Its link sorts by the column. If the list is already sorted by the
 * column, the link reverses the order.
 */
export function sortHeading({ sort, dir }: ListState, column: string, options: SortHeadingOptions) {
  const sorted = sort === column ? dir : null
  const name = (param: string) => listParam(param, options.prefix)
  const href = listHref(options, {
    [name('sort')]: column,
    [name('dir')]: sorted === 'asc' ? 'desc' : 'asc',
    // A page number or a cursor is not meaningful in another order.
    ...beginning(options.prefix),
  })
  const { label, number = false } = options
  return { id: `sort-${name(column)}`, label, number, sorted, href, hx: hxAttributes(href, options) }
}

export interface SearchFormOptions extends Arranging {
  readonly label: string
  /** Defaults to those of the filters that have a label in the resource. */
  readonly filters?: readonly FilterField[]
  /** The filters without a control in this form. */
  readonly omit?: readonly string[]
  /** False for a form with filters but without a search field. Defaults to true. */
  readonly words?: boolean
  /** Defaults to English. */
  readonly labels?: Partial<SearchLabels>
}

/**
 * Returns the template data of a form with a search field and filters. The form requests the first page and keeps the
 * other parameters of the URL. With `hxTarget`, it does so while the user types, and the target is morphed, so that the
 * field keeps its focus.
 */
export function searchForm(
  state: ListState,
  { label, filters = state.controls ?? [], omit = [], words = true, labels, ...options }: SearchFormOptions,
) {
  const clear = wholeListHref(state, options)
  const controls = filters.filter((control) => !omit.includes(control.name))
  const name = (param: string) => listParam(param, options.prefix)
  const texts = { ...ENGLISH, ...labels }
  const values = filterTexts(state.filters)
  const choices = controls.filter((control) => 'options' in control)
  const ranges = controls.filter((control) => 'range' in control)
  const records = controls.filter((control) => 'match' in control)
  const bounds = ranges.flatMap((range) => [`${range.name}_from`, `${range.name}_to`])
  const fields = ['q', ...[...choices, ...records].map((control) => control.name), ...bounds].map(name)
  const place = Object.keys(beginning(options.prefix))
  const id = listParam('search', options.prefix)
  const shown = { ...options, id, values, name, texts }
  const shownFilters: ShownFilter[] = [
    ...choices.map((choice) => choiceField(choice, shown)),
    ...records.map((control) => recordField(control, shown)),
    ...ranges.map((range) => rangeField(range, shown)),
  ]
  return {
    id,
    action: options.basePath,
    hx: typingAttributes(options, clear !== null && isFirstPage(options)),
    kept: paramsBut(options.query, [...fields, ...place]),
    label,
    words,
    name: name('q'),
    value: state.q,
    filters: shownFilters,
    active: shownFilters.filter(({ chosen }) => chosen !== '').length,
    clear: clear === null ? null : { href: clear, hx: hxAttributes(clear, options) },
    texts,
  }
}

type ShownFilter = ReturnType<typeof choiceField | typeof recordField | typeof rangeField>

function isFirstPage({ query, prefix }: Arranging): boolean {
  const all = paramsBut(query, [])
  return paramsBut(query, Object.keys(beginning(prefix))).length === all.length
}

/**
 * A search has one entry in the history: the first letter adds it, and the following ones replace it. `isBegun` is true
 * if the page shows the beginning of a search. Any other page keeps its entry in the history.
 */
function typingAttributes({ hxSwap = 'innerHTML', hxPushUrl, ...options }: Arranging, isBegun: boolean) {
  const style = hxSwap.startsWith('outer') ? 'outerMorph' : 'innerMorph'
  const hx = hxAttributes(options.basePath, { ...options, hxSwap: style })
  if (hx.length === 0) return hx
  const history = hxPushUrl ? [[isBegun ? 'hx-replace-url' : 'hx-push-url', 'true'] as const] : []
  const trigger = ['hx-trigger', "submit, input delay:300ms target:':not([name^=_find_])'"] as const
  return [...hx, ...history, trigger]
}

/** Returns the link that removes the search and the filters. Returns null if neither is set. */
export function wholeListHref({ q, filters }: ListState, address: Arranging): string | null {
  const narrowing = ['q', ...filterTexts(filters).keys()]
  if (q === '' && narrowing.length === 1) return null
  const without = Object.fromEntries(narrowing.map((param) => [listParam(param, address.prefix), null]))
  return listHref(address, { ...without, ...beginning(address.prefix) })
}

/** Returns the values of the filters as texts, by parameter. A range has the parameters `size_from` and `size_to`. */
const filterTexts = (filters: ListState['filters']): Map<string, string[]> =>
  new Map(
    Object.entries(filters).flatMap(([name, value]): [string, string[]][] =>
      isBounds(value)
        ? [
            [`${name}_from`, [textOf(value.from)]],
            [`${name}_to`, [textOf(value.to)]],
          ]
        : [[name, [value].flat().map(textOf)]],
    ),
  )

const textOf = (value: Scalar): string => String(value ?? '')
