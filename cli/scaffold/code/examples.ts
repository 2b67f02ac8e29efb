import type { Example, ExampleValue, Field } from '../field-types/field-type.ts'
import type { Names } from '../read/names.ts'

/**
 * Returns the nth valid value of a field as its column stores it. Different `n` give different values if the field
 * has enough valid values. Throws for references, whose values are records.
 */
export const exampleValue = (field: Field, n: number): ExampleValue => exampleOf(field).value(n)

/** Returns code that computes `exampleValue` for the number below 1000 in this variable. Throws for references. */
export const exampleCode = (field: Field, variable: string): string => exampleOf(field).code(variable)

/** Returns the text that a user enters for the nth example. For a checkbox, returns `on` or an empty text. */
export function enteredText(field: Field, n: number): string {
  const { value, entered } = exampleOf(field)
  const stored = value(n)
  return entered?.(n) ?? (typeof stored === 'object' ? JSON.stringify(stored) : String(stored))
}

/** Returns whether the code of the examples calls a function of `app/db/seeding.ts`, which browser tests can't import. */
export const callsHelper = (field: Field): boolean => field.type.example?.(field).helper !== undefined

/** The code of a value, and its imports. */
export interface ValueCode {
  readonly code: string
  readonly usesFaker: boolean
  /** The function of `app/db/seeding.ts` that the code calls. */
  readonly helper: string | undefined
}

/** Returns code of a realistic value for the nth record. Uses the nth example if faker has no valid value. */
export function realisticCode(field: Field, names: Names): ValueCode {
  const fake = field.type.fakeCode?.(field, names) ?? null
  if (fake === null) return numberedCode(field)
  return typeof fake === 'string'
    ? { code: fake, usesFaker: true, helper: undefined }
    : { ...fake, usesFaker: true }
}

/** Returns code of the nth example. */
export function numberedCode(field: Field): ValueCode {
  const { code, helper } = exampleOf(field)
  return { code: code('n'), usesFaker: false, helper }
}

function exampleOf(field: Field): Example {
  const { example, name } = field.type
  if (example === undefined) throw new Error(`${field.column}: the type ${name} has no examples.`)
  return example(field)
}
