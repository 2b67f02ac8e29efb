import { literal, quoted } from './snippets.ts'
import { enteredText, exampleValue } from './examples.ts'
import { filterFields } from './model-fields.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** The `n` of `exampleValue` for the record that the tests find, and for a value that it doesn't have. */
interface Examples {
  readonly found: number
  readonly other: number
}

/** The variables of the HTTP test's template for filters: queries, and whether each finds the record. */
export function filterData(model: Model, { found, other }: Examples) {
  const fields = testedFilters(model).filter(
    (field) => enteredText(field, found) !== enteredText(field, other),
  )
  const matching = fields.map((field) => queryOf(field, enteredText(field, found))).join('&')
  const others = fields.map((field) => queryOf(field, enteredText(field, other)))
  const invalid = fields.map((field) => queryOf(field, field.type.invalidText(field) ?? '')).join('&')
  return {
    filters: fields.length === 0 ? null : [matching, invalid, ...others].map(quoted).join(', '),
    foundBy: [true, true, ...others.map(() => false)].join(', '),
    filtered: fields.map((field) => `${field.column}: ${literal(exampleValue(field, found))}`).join(', '),
  }
}

/** Returns the first filter with several values, and the first with bounds. */
const testedFilters = (model: Model): Field[] => {
  const fields = filterFields(model).filter(({ computed }) => !computed)
  const several = fields.find(({ type }) => type.filter?.isSeveral && !type.isList)
  const range = fields.find(({ type }) => type.filter?.range)
  return [several, range].filter((field) => field !== undefined)
}

/** Returns the query for rows with this value: `state=open`, or `due_from=2026-04-27&due_to=2026-04-27`. */
function queryOf({ column, type }: Field, text: string): string {
  const params = type.filter?.range === undefined ? [column] : [`${column}_from`, `${column}_to`]
  return params.map((param) => `${param}=${encodeURIComponent(text)}`).join('&')
}
