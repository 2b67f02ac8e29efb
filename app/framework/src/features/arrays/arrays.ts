import { sql } from 'kysely'
import { z } from 'zod'
import { ofKind } from '../../resource/fields/field-kind.ts'
import { field } from '../../resource/fields/field.ts'
import { filter, type FilterControl } from '../../resource/list-filters.ts'

interface Count {
  /** The largest number of values. Defaults to 100. */
  max?: number
}

/**
 * Schemas for columns with several values, such as `text[]`. The column is not null, and its default is `{}`. Rows and JSON
 * contain an array.
 *
 * ```ts
 * days: arrayField.choices(['mon', 'tue']).default([]), // checkboxes
 * labels: arrayField.lines({ max: 5 }).default([]), // a textarea, with a value per line
 * ```
 */
export const arrayField = {
  /** Returns a schema for some of these values: each once, in this order. */
  choices: <const Value extends string>(values: readonly Value[]) =>
    ofKind(
      'list',
      z
        .array(field.enum(values), 'Send a list of values.')
        .transform((chosen): readonly Value[] => values.filter((value) => chosen.includes(value))),
    ),
  /** Returns a schema for lines of text of up to 255 characters: each once, in their order. */
  lines: ({ max = 100 }: Count = {}) =>
    z.preprocess(
      linesOf,
      z
        .array(field.string(), 'Send a list of texts.')
        .max(max, `Use ${max} values or fewer.`)
        .transform((lines): readonly string[] => [...new Set(lines)]),
    ),
} as const

const linesOf = (input: unknown): unknown =>
  typeof input === 'string' ? input.split('\n').filter((line) => line.trim() !== '') : input

/**
 * Filters of lists by a column with several values. A GIN index of the column serves both.
 *
 * ```ts
 * filters: { days: arrayFilter.some(field.enum(DAYS), { label: 'Days' }) } // ?days=mon&days=tue
 * ```
 */
export const arrayFilter = {
  /** Returns a filter that a row passes if its column has one of the values. */
  some: <Schema extends z.ZodType<string>>(schema: Schema, control?: FilterControl) => ({
    ...filter.several(schema, control),
    condition: (column: string, values: unknown) => sql<boolean>`${sql.ref(column)} && ${values}`,
  }),
  /** Returns a filter that a row passes if its column has all of the values. */
  all: <Schema extends z.ZodType<string>>(schema: Schema) => ({
    ...filter.all(schema),
    condition: (column: string, values: unknown) => sql<boolean>`${sql.ref(column)} @> ${values}`,
  }),
} as const
