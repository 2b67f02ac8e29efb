import { closedWords, quoted } from './snippets.ts'
import { controlFields, listFields, publicField, searchFields, sortFields } from './model-fields.ts'
import type { Field, FieldType } from '../field-types/field-type.ts'
import { countsData } from '../nested/children-code.ts'
import type { Model } from '../model.ts'
import { ifThere, labelMaps, nameCode, nameMarkup, valueCode, valueMarkup } from './value-markup.ts'

/** The variables of the list's template. */
export function indexData(model: Model): object {
  const { names, label, readers } = model
  const listed = listFields(model)
  const [{ labels, labelTypes }, counts] = [labelMaps(model, listed), countsData(model)]
  return {
    names,
    byCursor: model.cursor !== null,
    labels: labels + counts.map(({ name }) => name).join(''),
    labelTypes: labelTypes + counts.map(({ type }) => type).join(''),
    badge: typeof readers === 'object' ? valueCode(model, readers.when) : null,
    closed: typeof readers === 'object' ? closedWords(readers.when).one : null,
    search: searchData(model),
    labelHeading: label === null ? plainHeading(names.title) : sortHeading(label),
    ...listName(model),
    trash: model.softDelete ? ', trash: true' : '',
    columns: [
      ...listed.map((field) => ({
        heading: sortFields(model).includes(field)
          ? sortHeading(field)
          : plainHeading(field.label, field.type),
        cell: cellOf(model, field),
        end: endOf(field.type),
      })),
      ...counts.map(({ heading, cell }) => ({ heading: plainHeading(heading), cell })),
    ],
    dateHeading: sortHeading({ column: 'created_at', label: 'Created' }),
  }
}

export const plainHeading = (label: string, type?: FieldType) =>
  `<th role="columnheader" scope="col"${endOf(type)}>${label}</th>`
const sortHeading = ({ column, label, type }: Pick<Field, 'column' | 'label'> & { type?: FieldType }) =>
  `<%~ it.sortHeading(page, '${column}', { label: ${quoted(label)}, ${type?.isAlignedToEnd ? 'number: true, ' : ''}...swap }) %>`

/** Returns the attribute of a cell whose text is aligned to the end. */
export const endOf = (type?: FieldType): string => (type?.isAlignedToEnd ? ' class="number"' : '')

/** A record without a label has the beginning of its text in lists, or else its id. */
export function listName(model: Model) {
  const text =
    model.label === null
      ? model.fields.find((field) => field.type.isLongText && !field.nullable && !field.private)
      : undefined
  if (text === undefined) return { nameMarkup: nameMarkup(model), nameCode: nameCode(model) }
  const code = `it.excerpt(${valueCode(model, text)}, 60)`
  return { nameMarkup: `<%= ${code} %>`, nameCode: code }
}

/** On a phone a row is a stack without column headings, so each value has its label. */
export function cellOf(model: Model, field: Field): string {
  const value = valueMarkup(model, field)
  if (field === model.owner) return value
  return ifThere(model, field, `<span class="label">${field.label}: </span>${value}`)
}

/** The search form; null if the list has neither a search nor filters. */
function searchData(model: Model) {
  const { names } = model
  const state = publicField(model)
  const hasWords = searchFields(model).length > 0
  if (!hasWords && controlFields(model).length === 0 && state === null) return null
  return {
    label: `${hasWords ? 'Search' : 'Filter'} ${names.humans}`,
    // Only signed-in users need it: a guest sees public records only.
    omit: state === null ? '' : `omit: it.me ? [] : ['${state.column}'], `,
    hasWords,
  }
}
