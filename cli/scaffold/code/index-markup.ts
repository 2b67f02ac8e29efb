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
    nameMarkup: nameMarkup(model),
    nameCode: nameCode(model),
    trash: model.softDelete ? ', trash: true' : '',
    columns: listed.map((field) => ({
      heading: sortFields(model).includes(field)
        ? sortHeading(field.column, field.label)
        : plainHeading(field.label),
      cell: cellOf(model, field),
    })),
    dateHeading: sortHeading('created_at', listed.some(({ type }) => type.isDate) ? 'Created' : 'Date'),
  }
}

const plainHeading = (label: string) => `<th role="columnheader" scope="col">${label}</th>`
const sortHeading = (column: string, label: string) =>
  `<%~ it.sortHeading(query, '${column}', { label: ${quoted(label)}, ...swap }) %>`

/** On a phone a row is a stack without column headings, so each value has its label. */
function cellOf(model: Model, field: Field): string {
  const value = valueMarkup(model, field)
  if (field === model.owner) return value
  return ifThere(model, field, `<span class="label">${field.label}: </span>${value}`)
}

/** The filter for public and other records. Only signed-in users need it: a guest sees public records only. */
const stateChoice = (when: Field) =>
  `{ name: '${when.column}', label: 'State', options: [['', 'All'], ['true', ${quoted(when.label)}], ` +
  `['false', ${quoted(closedWords(when).many)}]] }`

const MOST_CHOICES = 3

/** The search form; null if the list has neither a search nor filters. */
function searchData(model: Model) {
  const { names, readers } = model
  const when = typeof readers === 'object' ? readers.when : null
  const choices = filterFields(model)
    .filter((field) => field.type.filter?.choices && field !== when)
    .slice(0, MOST_CHOICES)
    .map(choiceOf)
  const hasWords = searchFields(model).length > 0
  if (!hasWords && choices.length === 0 && when === null) return null
  return {
    label: `${hasWords ? 'Search' : 'Filter'} ${names.humans}`,
    choices,
    filters: filtersCode(when !== null, choices.length > 0),
    hasWords,
  }
}

function filtersCode(hasState: boolean, hasChoices: boolean): string {
  if (!hasState) return hasChoices ? 'filters, ' : ''
  return hasChoices ? 'filters: it.me ? [state, ...filters] : filters, ' : 'filters: it.me ? [state] : [], '
}

function choiceOf(field: Field): string {
  const { column, label, type } = field
  const options = [['', `${label}: any`], ...(type.filter?.choices?.(field) ?? [])] as const
  return `{ name: '${column}', label: ${quoted(label)}, options: ${optionsCode(options)} }`
}
