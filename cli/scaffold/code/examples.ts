import type { Example, ExampleValue, Field } from '../field-types/field-type.ts'

/**
 * Returns the nth valid value of a field as its column stores it. The values differ if the field has that many. Throws
 * for references, whose values are records.
 */
export const exampleValue = (field: Field, n: number): ExampleValue => exampleOf(field).value(n)

/** Returns code that computes `exampleValue` for the number below 1000 in this variable. Throws for references. */
export const exampleCode = (field: Field, variable: string): string => exampleOf(field).code(variable)

/** The text that a user enters, chooses or picks for the nth example: `on` or nothing for a checkbox. */
export function enteredText(field: Field, n: number): string {
  const { value, entered } = exampleOf(field)
  return entered === undefined ? textOf(value(n)) : entered(n)
}

const textOf = (value: ExampleValue): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The functions of `app/db/seeding.ts` that the examples of these fields call. */
export const helpersOf = (fields: readonly Field[]): string[] =>
  [...new Set(fields.flatMap((field) => field.type.example?.(field).helper ?? []))].toSorted()

function exampleOf(field: Field): Example {
  const { example, name } = field.type
  if (example === undefined) throw new Error(`${field.column}: no number leads to a value of type ${name}.`)
  return example(field)
}
