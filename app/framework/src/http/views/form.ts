import type { Request } from 'express'
import type { z } from 'zod'
import { fieldFacts } from '../../resource/fields/field-kind.ts'
import { isStorableText } from '../../resource/fields/storable-text.ts'
import { type FieldError, firstErrors, UnsupportedMediaType } from '../errors.ts'
import { TOKEN_FIELD } from '../server/request-key.ts'

declare const fields: unique symbol
declare const resource: unique symbol

/** The state of a form: the submitted values, and the error messages of each field. The name '' is that of the whole form. */
// oxlint-disable-next-line typescript/no-explicit-any -- a form of no resource fits each view
export interface FormState<Field extends string = string, Name = any> {
  readonly [resource]?: Name
  /** A view that declares fields accepts only a form with these. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a form whose fields are not known has any
  readonly [fields]?: string extends Field ? any : (field: Field) => void
  readonly values: { readonly [Each in Field]?: unknown }
  readonly errors: { readonly [Each in Field | '']?: readonly string[] }
  /** The version of the record in the form, which the browser submits as `_version`. */
  readonly version?: string
  /** Identifies the form of a new record, which the browser submits as `_token`: equal submissions store one record. */
  readonly token?: string
  /** The reference field that the user searched, and whose results they choose from. */
  readonly found?: string
  /** The value of the button that moved a chosen record. It gets the focus. */
  readonly move?: string
  /** The stored values of the fields that differ from the submitted ones. */
  readonly storedNow?: Readonly<Record<string, unknown>>
  /** The fields that the form leaves out, because the caller may not set them or doesn't see their stored values. */
  readonly omitted?: readonly string[]
  /** The beginning of the ids of the fields, if a page has several forms. */
  readonly ids?: string
  /** Set to focus no field. */
  readonly keepsFocus?: boolean
}

/**
 * A form to show again: its input is invalid (422), another user changed the record (409), or the user searched a
 * reference or moved a chosen record (200). Pass it to the view as the form's state.
 */
export interface Refused<Row = object, Field extends string = string> extends FormState<Field> {
  readonly valid: false
  readonly status: 422 | 409 | 200
  /** The stored record, if another user changed it. */
  readonly current?: Row
}

/** A submitted form: the input to store, or the form to show again. */
export type Submitted<Input, Row = object, Field extends string = string> =
  Accepted<Input, Row> | Refused<Row, Field>

interface Accepted<Input, Row> {
  readonly valid: true
  readonly input: Input
  /** The submitted values. */
  readonly values: FormState['values']
  readonly version?: string
  readonly token?: string
  readonly omitted?: readonly string[]
  /** Returns the form to show if the record has changed to this one. */
  readonly conflict?: (current: object) => Refused<Row>
}

/**
 * Reads and validates a form that belongs to no resource, such as sign-up. Returns `{ valid: true, input }`, or the
 * form to show again with status 422. Throws `UnsupportedMediaType` (415) unless the body is a form.
 */
export function readForm<Schema extends z.ZodObject>(
  req: Request,
  schema: Schema,
): Submitted<z.output<Schema>, never, FieldIn<Schema>> {
  const values = formValues(req, schema)
  const parsed = schema.safeParse(values)
  return parsed.success
    ? { valid: true, input: parsed.data, values }
    : refusedForm(values, fieldErrors(parsed.error))
}

/** The fields of a schema, or of each of several. */
type FieldIn<Schema extends z.ZodObject> = Schema extends unknown ? keyof Schema['shape'] & string : never

/** Returns the submitted values. Throws `UnsupportedMediaType` unless the body is a form: it would be read as an empty one. */
export function formValues(req: Request, schema: z.ZodObject): Record<string, unknown> {
  if (!req.is('urlencoded')) throw new UnsupportedMediaType('a form')
  return decodeForm(schema, req.body)
}

/** Returns the form to show again with status 422, these values and these errors. */
export function refusedForm(values: FormState['values'], errors: readonly FieldError[]): Refused<never> {
  return {
    valid: false,
    status: 422,
    values,
    errors: Object.fromEntries(firstErrors(errors).map(({ field, messages }) => [field, messages])),
  }
}

/** Returns the validation errors by field. An unknown field gets an error of its own. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const byField = new Map<string, string[]>()
  for (const issue of error.issues) {
    const unknown = issue.code === 'unrecognized_keys'
    const fields = unknown ? issue.keys : [String(issue.path[0] ?? '')]
    const message = unknown ? 'Unknown field.' : sentenceOf(issue)
    for (const field of fields) byField.set(field, [...new Set([...(byField.get(field) ?? []), message])])
  }
  return [...byField].map(([field, messages]) => ({ field, messages }))
}

/** Replaces zod's message about a wrong type, which is for programmers. */
const sentenceOf = ({ code, message }: z.core.$ZodIssue) =>
  code === 'invalid_type' && message.startsWith('Invalid input')
    ? 'This field is missing or has the wrong type.'
    : message

/** Returns whether a field controls the request and is not part of the input. */
const isControl = (field: string) =>
  ['_method', '_version', '_find', '_move', 'return_to', TOKEN_FIELD].includes(field) ||
  /^_f(?:i|ou)nd_/.test(field)

/** Returns the search text of a reference field. Empty if the user didn't search. */
export function searched(req: Request, field: string): string {
  const { [`_find_${field}`]: q } = (req.body ?? {}) as Record<string, unknown>
  // Postgres rejects NUL in text, and no stored value contains it.
  return typeof q === 'string' && isStorableText(q) ? q : ''
}

/**
 * Converts the fields of a form to the types of the schema: an unchecked box becomes false, the text of a number a
 * number, and an empty nullable field null. Unknown fields stay, so that the schema rejects them by name.
 */
export function decodeForm(schema: z.ZodObject, body: unknown): Record<string, unknown> {
  const typed = new Map(Object.entries(body ?? {}).filter(([field]) => !isControl(field)))
  for (const [field, type] of Object.entries(schema.shape)) {
    // The results of a search are radio buttons, which send nothing if none is chosen.
    const text = typed.get(field) ?? (Object.hasOwn(body ?? {}, `_found_${field}`) ? '' : undefined)
    const value = decodeField(type as z.ZodType, text)
    if (value !== undefined) typed.set(field, value)
  }
  return Object.fromEntries(typed)
}

/** The values of checkboxes, which send nothing if unchecked, and of selects with yes and no. */
const BOX = new Map<unknown, boolean>([
  [undefined, false],
  ['on', true],
  ['true', true],
  ['false', false],
])

function decodeField(type: z.ZodType, value: unknown): unknown {
  const { kind, nullable } = fieldFacts(type)
  if (nullable && typeof value === 'string' && value.trim() === '') return null
  // A search without a choice is an empty text.
  if (kind === 'list') return [value ?? []].flat().filter((one) => one !== '')
  if (kind === 'boolean') return BOX.has(value) ? BOX.get(value) : value
  if (typeof value !== 'string') return value
  if (kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value)
  // Browsers send CRLF for each line break: an unchanged text must equal the stored one.
  return value.replaceAll('\r\n', '\n')
}
