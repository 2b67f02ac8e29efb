import { z } from 'zod'
import { jsonField } from './json-field.ts'
import { bigintField, decimalField, floatField, integerField } from './number-fields.ts'
import { reading, Refusal } from './read-field.ts'
import { readId } from '../record-id.ts'
import { ofKind } from './field-kind.ts'
import { emailField, slugField, stringField, textField, urlField, uuidField } from './text-fields.ts'
import { dateField, datetimeField, timeField } from './time-fields.ts'

/**
 * Schemas for the values of columns, one function for each type of column. Each schema accepts the text of a form
 * field and the JSON value, and returns the value exactly as the column returns it, so that an unchanged value
 * compares as equal. An invalid value becomes a validation error with a sentence for the user.
 *
 * ```ts
 * z.strictObject({
 *   title: field.string({ max: 200 }),
 *   price: field.decimal(10, 2, { min: 0 }), // '12.50': exact text, not a number
 *   author_id: field.reference(),
 *   note: field.text().nullable(),
 * })
 * ```
 */
export const field = {
  string: stringField,
  text: textField,
  integer: integerField,
  bigint: bigintField,
  decimal: decimalField,
  float: floatField,
  boolean: () => z.boolean('Use true or false.'),
  date: dateField,
  time: timeField,
  datetime: datetimeField,
  uuid: uuidField,
  json: jsonField,
  email: emailField,
  url: urlField,
  slug: slugField,
  enum: enumField,
  reference: referenceField,
  references: referencesField,
} as const

/** Returns a schema for one of these values. */
function enumField<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, `Choose one of ${values.join(', ')}.`)
}

/**
 * Returns a schema for the id of another record. `formInput` and `jsonInput` check that the caller may see the record.
 */
function referenceField(): z.ZodType<number, string | number>
function referenceField(kind: 'uuid'): z.ZodType<string, string | number>
function referenceField(kind?: 'uuid'): z.ZodType<number | string, string | number> {
  return reading<number | string>({
    missing: 'Choose an option.',
    read: (text) =>
      readId(kind ?? 'bigint', text.toLowerCase()) ?? new Refusal('This record does not exist.'),
  })
}

/**
 * Returns a schema for the ids of several other records, which a join table stores. `joinTable` defines their
 * order. A form without any is an empty list.
 */
function referencesField(): z.ZodType<readonly number[], readonly (string | number)[]>
function referencesField(kind: 'uuid'): z.ZodType<readonly string[], readonly (string | number)[]>
function referencesField(
  kind?: 'uuid',
): z.ZodType<readonly (number | string)[], readonly (string | number)[]> {
  const one: z.ZodType<number | string, string | number> =
    kind === undefined ? referenceField() : referenceField(kind)
  return ofKind('list', z.array(one, 'Send a list of ids.'))
}
