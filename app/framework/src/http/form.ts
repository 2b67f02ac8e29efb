import type { Request } from 'express'
import type { z } from 'zod'
import { fieldFacts } from '../resource/field-kind.ts'
import { type FieldError, UnsupportedMediaType } from './errors.ts'

/** The state of a form: the values as the user typed them, and the error messages of each field. */
export interface FormState {
  readonly values: Readonly<Record<string, unknown>>
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The version of the record that the form was filled in from; it comes back as `_version`. */
  readonly version?: string
  /** The field whose records were searched, and who sent the form has to choose among. */
  readonly found?: string
  /** What is stored now, by the fields in which it differs from what was typed. */
  readonly storedNow?: Readonly<Record<string, unknown>>
}

/**
 * A form to show again: its input is invalid (422), another user changed the record (409), or the user searched a
 * reference (200). Pass it to the view as the form's state.
 */
export interface Refused<Row = object> extends FormState {
  readonly valid: false
  readonly status: 422 | 409 | 200
  /** The stored record, if another user changed it. */
  readonly current?: Row
}

/** A form that was sent: what to store, or what to show again. */
export type Submitted<Input, Row = object> = Accepted<Input, Row> | Refused<Row>

interface Accepted<Input, Row> {
  readonly valid: true
  readonly input: Input
  /** The values as they were typed. */
  readonly values: FormState['values']
  readonly version?: string
  /** The form to show when the record turns out to be this by now. */
  readonly conflict?: (current: object) => Refused<Row>
}

/**
 * Reads and validates a form that belongs to no resource, such as sign-up. Returns `{ valid: true, input }`, or the
 * form to show again with status 422. Throws `UnsupportedMediaType` (415) unless the body is a form.
 */
export function readForm<Schema extends z.ZodObject>(
  req: Request,
  schema: Schema,
): Submitted<z.output<Schema>, never> {
  const values = formValues(req, schema)
  const parsed = schema.safeParse(values)
  return parsed.success
    ? { valid: true, input: parsed.data, values }
    : refusedForm(values, fieldErrors(parsed.error))
}

/** What was typed, by the schema; throws `UnsupportedMediaType` for a body that is no form, which would read as an empty one. */
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
    errors: Object.fromEntries(errors.map(({ field, messages }) => [field, messages])),
  }
}

/** What zod found, by the field it belongs to; an unknown field is named itself. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const byField = new Map<string, string[]>()
  for (const issue of error.issues) {
    const unknown = issue.code === 'unrecognized_keys'
    const fields = unknown ? issue.keys : [String(issue.path[0] ?? '')]
    const message = unknown ? 'Is not a field that can be sent.' : sentenceOf(issue)
    for (const field of fields) byField.set(field, [...(byField.get(field) ?? []), message])
  }
  return [...byField].map(([field, messages]) => ({ field, messages }))
}

/** What zod says by itself of a wrong type is for programmers. */
const sentenceOf = ({ code, message }: z.core.$ZodIssue) =>
  code === 'invalid_type' && message.startsWith('Invalid input')
    ? 'Is missing, or of another kind than it should be.'
    : message

/** Fields that steer the request and are no input. */
const isControl = (field: string) =>
  ['_method', '_version', '_find', 'return_to'].includes(field) || /^_f(?:i|ou)nd_/.test(field)

/** What was looked for among the records that this field could lead to; empty when nothing was. */
export function searched(req: Request, field: string): string {
  const { [`_find_${field}`]: q } = (req.body ?? {}) as Record<string, unknown>
  // No value is stored with a NUL, so nothing is found by one either.
  return typeof q === 'string' && !q.includes('\0') ? q : ''
}

/**
 * Reads a form by the schema it is for: an unchecked box is false, an empty field null where that is allowed, a number
 * a number. What the schema doesn't know is left in, so that the schema refuses it by name.
 */
export function decodeForm(schema: z.ZodObject, body: unknown): Record<string, unknown> {
  const typed = new Map(Object.entries(body ?? {}).filter(([field]) => !isControl(field)))
  for (const [field, type] of Object.entries(schema.shape)) {
    const value = decodeField(type as z.ZodType, typed.get(field))
    if (value !== undefined) typed.set(field, value)
  }
  return Object.fromEntries(typed)
}

/** What a checkbox sends; nothing at all when it isn't checked. A choice between yes and no says either. */
const BOX = new Map<unknown, boolean>([
  [undefined, false],
  ['on', true],
  ['true', true],
  ['false', false],
])

function decodeField(type: z.ZodType, value: unknown): unknown {
  const { kind, nullable } = fieldFacts(type)
  if (nullable && typeof value === 'string' && value.trim() === '') return null
  if (kind === 'boolean') return BOX.has(value) ? BOX.get(value) : value
  if (typeof value !== 'string') return value
  if (kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value)
  // Browsers send CRLF whatever the field held: a text that nobody touched must not look changed.
  return value.replaceAll('\r\n', '\n')
}
