import { choices, nearest } from '../../nearest.ts'
import type { Field, FieldWords } from '../field-types/field-type.ts'
import type { Part, Problems } from '../read/command-line-problems.ts'
import { columnsIn, keywordsIn } from './expression.ts'

/** Returns the expression of a computed field: `price * quantity` for `total:decimal:as(price * quantity)`. */
export const computedOf = ({ as: part }: FieldWords): Pick<Field, 'computed'> =>
  part === null ? {} : { computed: part.text.trim() }

/** Reports words that a computed field can't have, and an expression with other names than those of fields. */
export function checkComputed(
  all: readonly { readonly each: FieldWords; readonly field: Field }[],
  problems: Problems,
): void {
  for (const { each, field } of all) {
    if (each.as === null) continue
    const other = each.default ?? each.unique ?? each.private ?? each.min ?? each.max
    if (other) problems.add(other, 'Postgres computes the value: remove this.')
    if (field.type.isSortable !== true && field.type.name !== 'boolean')
      problems.add(
        each.as,
        `A field of type ${field.type.name} can't be computed: use a number, a date or a string.`,
      )
    const message = refusalOf(
      field,
      each.as,
      all.map((one) => one.field),
    )
    if (message !== null) problems.add(each.as, message)
  }
}

/** Phrases whose keywords may be the names of columns that the expression doesn't use. */
const PHRASES = /\bcase\b|\btime\s+zone\b|(?:\(\s*\w+|\bdistinct)\s+from\b/i

function refusalOf({ name, nullable }: Field, { text }: Part, fields: readonly Field[]): string | null {
  if (text.trim() === '') return 'Write the expression: total:decimal:as(price*quantity).'
  if (/[`;\\$]|--|\/\*/.test(text))
    return 'Write one expression of SQL, without ;, comments, $, backticks and backslashes.'
  const names = columnsIn(text)
  const others = fields.filter(({ type }) => !type.isList)
  const unknown = names.find((one) => others.every(({ column }) => column !== one))
  if (unknown !== undefined) {
    const columns = others.map(({ column }) => column)
    return `Unknown field ${unknown}. ${choices(columns, nearest(unknown, columns))}`
  }
  const keyword = others.find(({ column }) => !names.includes(column) && keywordsIn(text).includes(column))
  if (keyword && !PHRASES.test(text))
    return `${keyword.column} is a word of SQL: write "${keyword.column}" for the column.`
  const used = others.filter(({ column }) => names.includes(column))
  const computed = used.find((one) => one.computed !== undefined)
  if (computed)
    return `${computed.name} is computed too, and Postgres computes from stored columns: repeat its expression.`
  const empty = used.find((one) => one.nullable && !isFilled(text, one.column))
  if (empty && !nullable)
    return `${empty.name} may be empty, so ${name} may be: add ?, or write coalesce(${empty.column}, …).`
  return null
}

/** Whether the expression replaces the nulls of a column at each of its places: `coalesce(note, 'none')`. */
const isFilled = (text: string, column: string): boolean =>
  !columnsIn(text.replaceAll(new RegExp(`\\bcoalesce\\(\\s*"?${column}\\b"?`, 'gi'), 'coalesce(0')).includes(
    column,
  )

/** Returns the expected values after a change of other columns. */
export const computedStored = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ computed, column }) => (computed ? [`${column}: expect.anything()`] : []))
