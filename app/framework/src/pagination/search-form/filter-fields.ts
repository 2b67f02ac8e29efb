import type { FilterChoice, FilterRange } from '../../resource/filter-controls.ts'

/** The texts of a search form. */
export interface SearchLabels {
  /** The labels of the inputs of a range. */
  readonly from: string
  readonly to: string
  /** The button that opens the filters on a narrow screen, and the one that closes them. */
  readonly filters: string
  readonly done: string
  /** The link that removes the search and the filters. */
  readonly clear: string
  /** The button that submits the form, and that of a form without a search field. */
  readonly search: string
  readonly filter: string
  /** The sentences above the records of a filter, and the link and the button that show more of them. */
  readonly any: string
  readonly all: string
  readonly choices: string
  readonly find: string
  /** The sentences if the form doesn't offer all records, or none. */
  readonly more: string
  readonly none: string
}

export const ENGLISH: SearchLabels = {
  from: 'From',
  to: 'To',
  filters: 'Filters',
  done: 'Done',
  clear: 'Clear',
  search: 'Search',
  filter: 'Filter',
  any: 'Any of these',
  all: 'All of these',
  choices: 'Show choices',
  find: 'Find',
  more: 'Search to find more.',
  none: 'Nothing found.',
}

/** The form around a filter. */
export interface ShownForm {
  /** The values of the filters as texts, by parameter. */
  readonly values: ReadonlyMap<string, readonly string[]>
  /** Returns the name of a parameter in the URL. */
  readonly name: (param: string) => string
  readonly texts: SearchLabels
}

/** `chosen` is the text of the active filter, or empty. */
export function choiceField(
  { name, label, multiple = false, options }: FilterChoice,
  { values, ...shown }: ShownForm,
) {
  const current = values.get(name) ?? ['']
  const choices = options.map(([value, text]) => ({ value, text, selected: current.includes(value) }))
  const chosen = choices.filter(({ value, selected }) => selected && value !== '').map(({ text }) => text)
  return { name: shown.name(name), label, multiple, options: choices, chosen: chosen.join(', ') }
}

export function rangeField({ name, label, range }: FilterRange, { values, texts, ...shown }: ShownForm) {
  const bounds = (['from', 'to'] as const).map((bound) => ({
    label: texts[bound],
    name: shown.name(`${name}_${bound}`),
    value: values.get(`${name}_${bound}`)?.[0] ?? '',
  }))
  const chosen = bounds
    .filter(({ value }) => value !== '')
    .map((bound) => `${bound.label.toLowerCase()} ${bound.value.replace('T', ' ')}`)
  return { name: shown.name(name), label, type: range, bounds, chosen: chosen.join(' ') }
}
