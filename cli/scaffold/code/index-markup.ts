import { closedWords, optionsCode, quoted } from './snippets.ts'
import { filterFields, listFields, searchFields, sortFields } from './model-fields.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { ifThere, labelNames, nameCode, nameMarkup, valueCode, valueMarkup } from './value-markup.ts'

/** The variables of the list's template. */
export function indexData(model: Model): object {
  const { names, label, readers } = model
  const listed = listFields(model)
  return {
    names,
    byCursor: model.cursor !== null,
    labels: labelNames(
      model,
      listed.filter(({ target }) => target),
    ),
    state: typeof readers === 'object' ? stateChoice(readers.when) : null,
    badge: typeof readers === 'object' ? valueCode(model, readers.when) : null,
    closed: typeof readers === 'object' ? closedWords(readers.when).one : null,
    search: searchData(model),
    labelHeading: label === null ? plainHeading(names.title) : sortHeading(label.column, label.label),
    ...listName(model),
    trash: model.softDelete ? ', trash: true' : '',
    columns: listed.map((field) => ({
      heading: sortFields(model).includes(field)
        ? sortHeading(field.column, field.label)
        : plainHeading(field.label),
      cell: cellOf(model, field),
    })),
    dateHeading: sortHeading('created_at', 'Created', "byDefault: 'desc', "),
  }
}

const plainHeading = (label: string) => `<th role="columnheader" scope="col">${label}</th>`
const sortHeading = (column: string, label: string, options = '') =>
  `<%~ it.sortHeading(query, '${column}', { label: ${quoted(label)}, ${options}...swap }) %>`

/** A record without a label has the beginning of its text in lists, or else its id. */
function listName(model: Model) {
  const text = model.label === null ? model.fields.find(isShownText) : undefined
  if (text === undefined) return { nameMarkup: nameMarkup(model), nameCode: nameCode(model) }
  const code = `it.excerpt(${valueCode(model, text)}, 60)`
  return { nameMarkup: `<%= ${code} %>`, nameCode: code }
}

const isShownText = ({ type, nullable, private: secret }: Field) => type.isLongText && !nullable && !secret

/** On a phone a row is a stack without column headings, so each value has its label. */
function cellOf(model: Model, field: Field): string {
  const value = valueMarkup(model, field)
  if (field === model.owner) return value
  return ifThere(model, field, `<span class="label">${field.label}: </span>${value}`)
}

/** The filter for public and other records. Only signed-in users need it: a guest sees public records only. */
const stateChoice = (when: Field) =>
  `{ name: '${when.column}', label: 'State', options: [['', 'State: any'], ['true', ${quoted(when.label)}], ` +
  `['false', ${quoted(closedWords(when).many)}]] }`

const MOST_CHOICES = 3
const MOST_RANGES = 2

/** The search form; null if the list has neither a search nor filters. */
function searchData(model: Model) {
  const { names, readers } = model
  const when = typeof readers === 'object' ? readers.when : null
  const fields = filterFields(model).filter((field) => field !== when)
  const choices = fields.filter(({ type }) => type.filter?.choices).slice(0, MOST_CHOICES)
  const ranges = fields.filter(({ type }) => type.filter?.range).slice(0, MOST_RANGES)
  const controls = [...choices.map(choiceOf), ...ranges.map(rangeOf)]
  const hasWords = searchFields(model).length > 0
  if (!hasWords && controls.length === 0 && when === null) return null
  return {
    label: `${hasWords ? 'Search' : 'Filter'} ${names.humans}`,
    controls,
    filters: filtersCode(when !== null, controls.length > 0),
    hasWords,
  }
}

function filtersCode(hasState: boolean, hasControls: boolean): string {
  if (!hasState) return hasControls ? 'filters, ' : ''
  return hasControls ? 'filters: it.me ? [state, ...filters] : filters, ' : 'filters: it.me ? [state] : [], '
}

function choiceOf(field: Field): string {
  const { column, label, type } = field
  const { choices, isSeveral } = type.filter ?? {}
  const options = [...(isSeveral ? [] : [['', `${label}: any`] as const]), ...(choices?.(field) ?? [])]
  const multiple = isSeveral ? ', multiple: true' : ''
  return `{ name: '${column}', label: ${quoted(label)}, options: ${optionsCode(options)}${multiple} }`
}

function rangeOf({ column, label, type }: Field): string {
  const { range } = type.filter ?? {}
  const text = range === 'datetime-local' ? `${label} (UTC)` : label
  return `{ name: '${column}', label: ${quoted(text)}, range: '${range}' }`
}
