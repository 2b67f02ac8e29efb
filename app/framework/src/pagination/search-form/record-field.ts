import type { FilterRecords } from '../../resource/filter-controls.ts'
import { type ListAddress, listHref } from '../list-links.ts'
import { type HxAttributes, hxAttributes, type Swap } from '../pager-links.ts'
import type { ShownForm } from './filter-fields.ts'

/** The parameter with the filter whose records the search form offers. */
export const OPEN_FILTER = '_choices'

/** Returns the parameter with the words by which the records of a filter are searched. */
export const wordsParam = (filter: string): string => `_find_${filter}`

/** Returns a query without these parameters, which belong to one request: the links of the list don't contain them. */
export const keptQuery = (query: string): string =>
  query.replaceAll(/(?<=[?&])_(?:choices=|find_)[^&]*&?/g, '')

interface Form extends ListAddress, Swap, ShownForm {
  /** The id of the search form. */
  readonly id: string
}

/**
 * Returns the template data of a filter by records. Its panel contains the chosen ones. htmx loads the others when the panel
 * opens; without JavaScript, a link in it does.
 */
export function recordField({ name: column, label, match, records }: FilterRecords, form: Form) {
  if (records === undefined)
    throw new Error(
      `The search form has no choices for ${column}. Pass the list to withFilterChoices, or omit ${column}.`,
    )
  const { id, texts } = form
  const name = form.name(column)
  const values = form.values.get(column) ?? []
  const options = records.options.map(([value, text]) => ({ value, text, selected: values.includes(value) }))
  const chosen = options.filter(({ selected }) => selected).map(({ text }) => text)
  const href = listHref(form, { [OPEN_FILTER]: name })
  const panel = `${id}-${name}-panel`
  const { isOpen, searchable, more, q } = records
  return {
    name,
    label,
    multiple: true,
    options,
    chosen: shortened(chosen),
    panel: {
      id: panel,
      isOpen,
      match: texts[match],
      open: isOpen ? null : { href: `${href}#${id}-${name}`, hx: opening(href, panel, form) },
      search: searchable ? { name: wordsParam(name), value: q, hx: searching(name, panel, form) } : null,
      note: more ? texts.more : isOpen && options.length === 0 ? texts.none : '',
    },
  }
}

/** The number of chosen records whose texts fit into the button of the filter. */
const MOST_TEXTS = 3

const shortened = (texts: readonly string[]): string =>
  [
    texts.slice(0, MOST_TEXTS).join(', '),
    ...(texts.length > MOST_TEXTS ? [`+${texts.length - MOST_TEXTS}`] : []),
  ].join(' ')

function opening(href: string, panel: string, swap: Swap): HxAttributes {
  if (hxAttributes(href, swap).length === 0) return []
  return [['hx-get', href], ['hx-trigger', 'click, intersect once'], ...replacing(panel, panel)]
}

function searching(name: string, panel: string, { basePath, ...swap }: Form): HxAttributes {
  if (hxAttributes(basePath, swap).length === 0) return []
  return [
    ['hx-get', basePath],
    ['hx-include', 'closest form'],
    ['hx-vals', JSON.stringify({ [OPEN_FILTER]: name })],
    ['hx-sync', 'this:replace'],
    ['hx-trigger', "input changed delay:300ms, search, click from:'next button'"],
    ['hx-select-oob', `#${panel}-note:innerHTML`],
    ...replacing(`${panel}-choices`, panel),
  ]
}

function replacing(element: string, panel: string): HxAttributes {
  const problem = `target:#${panel}-note select:#problem-text swap:innerHTML`
  return [
    ['hx-target', `#${element}`],
    ['hx-select', `#${element}`],
    ['hx-swap', 'outerHTML ignoreTitle:true'],
    ['hx-status:4xx', problem],
    ['hx-status:5xx', problem],
  ]
}
