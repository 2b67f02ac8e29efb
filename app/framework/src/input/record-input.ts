import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import type { z } from 'zod'
import { currentDatabaseContext } from '../database/executor.ts'
import { refusedField, seenRow, type Seen } from '../policy/field-access.ts'
import type { DraftOf } from '../policy/policy.ts'
import { policyContext } from '../policy/policy-context.ts'
import { unsettableIn } from '../policy/recorded-decisions.ts'
import { completeRow } from '../rows/rows.ts'
import { type FieldError, Invalid } from '../http/errors.ts'
import { fieldErrors, type FormState, formValues, refusedForm, type Submitted } from '../http/views/form.ts'
import { defaultValues } from '../resource/fields/field-kind.ts'
import { fieldText } from '../resource/fields/field-text.ts'
import { storedValues } from '../resource/join.ts'
import type { ChangesOf, Resource, RowOf } from '../resource/resource.ts'
import { isStorableText } from '../resource/fields/storable-text.ts'
import { type Validated, validated } from '../resource/validated.ts'
import { choicesForm } from './choices-form.ts'
import { reportRefused, unseenIn, unsettable, withoutUnsent } from './omitted-fields.ts'
import { ifUnchanged, versionOf } from './record-form.ts'
import { brokenReferences } from './reference-tenant.ts'

/**
 * Returns the state of a form for a stored row, or for a new record with the defaults of its schema. Sends no query. The
 * form omits the fields that the row lacks, and if the row or the draft comes from `record` or `authorizeRecord`, the
 * fields that the caller may not set.
 */
export function formFor<R extends Resource>(resource: R, row?: RowOf<Seen<R>> | DraftOf<R>): FormState {
  const isStored = row !== undefined && 'id' in row
  const refused = (row && unsettableIn(row)) ?? []
  const omitted = isStored ? union(refused, unseenIn(resource, row)) : refused
  const shown = isStored ? row : { ...defaultValues(resource.input), ...row }
  return {
    ...(isStored ? versionOf(resource, row) : newToken()),
    values: shownValues(resource, shown, omitted),
    errors: {},
    ...leftOut(omitted),
  }
}

/** Each form of a new record has a token of its own, so that no cache may show it to another browser. */
function newToken() {
  const { res } = currentDatabaseContext()?.unit.cause.request ?? {}
  if (res?.headersSent === false) res.set('Cache-Control', 'no-store')
  return { token: randomUUID() }
}

const union = (some: readonly string[], others: readonly string[]) => [...new Set([...some, ...others])]
const leftOut = (omitted: readonly string[]) => (omitted.length > 0 ? { omitted } : {})

/**
 * Reads and validates a form. Returns `{ valid: true, input }`, or the form to show again with its errors and its
 * `status`: 422 if the input is invalid, 409 if the record changed since the form was opened, 200 if the user only
 * searched a reference. With a row, `input` contains only the columns that change.
 *
 * Throws `UnsupportedMediaType` (415) unless the body is a form, and `PreconditionRequired` (428) if the resource
 * has versions and the form doesn't carry one. Costs one query for each reference that changes.
 *
 * ```ts
 * const form = await storeForm(await formInput(req, Post, post), (changes) => posts.update(post, changes))
 * if (!form.valid) return render(res.status(form.status), 'posts/edit', { post, form })
 * ```
 */
export async function formInput<R extends Resource>(
  req: Request,
  resource: R,
): Promise<Submitted<Validated<R>>>
export async function formInput<R extends Resource>(
  req: Request,
  resource: R,
  row: RowOf<Seen<R>>,
): Promise<Submitted<Validated<R, ChangesOf<R>>>>
export async function formInput(req: Request, resource: Resource, row?: object): Promise<Submitted<object>> {
  const refused = await unsettable(req, resource, row)
  const seen = row && seenRow(await policyContext(req), resource, row)
  // An unchecked box for a value that the user doesn't see would set it to false.
  const omitted = seen === undefined ? refused : union(refused, unseenIn(resource, seen))
  const read = async (): Promise<Submitted<object>> => {
    const values = withoutUnsent(formValues(req, resource.input), req.body, omitted)
    const { input, errors } = await validate(req, resource, { values, refused, row })
    return errors.length === 0 ? { valid: true, input, values } : refusedForm(values, errors)
  }
  const submit = () => {
    const searching = choicesForm(req, resource)
    if (searching !== null) return searching
    if (row === undefined) return read()
    const valuesOf = (shown: object) => shownValues(resource, shown, omitted)
    return ifUnchanged(req, { resource, row, schema: resource.input, valuesOf }, read)
  }
  return { ...(await submit()), ...(row === undefined && newToken()), ...leftOut(omitted) }
}

/**
 * Reads and validates a JSON body. Returns the input; with a row, only the columns that change. Throws `Invalid`
 * (422) with an error for each field. Costs one query for each reference that changes. Needs `jsonBody()` among the
 * guards.
 */
export async function jsonInput<R extends Resource>(req: Request, resource: R): Promise<Validated<R>>
export async function jsonInput<R extends Resource>(
  req: Request,
  resource: R,
  row: RowOf<Seen<R>>,
): Promise<Validated<R, ChangesOf<R>>>
export async function jsonInput(req: Request, resource: Resource, row?: object): Promise<object> {
  const { input, errors } = await validate(req, resource, {
    values: jsonObject(req.body),
    refused: await unsettable(req, resource, row),
    row,
  })
  if (errors.length > 0) throw new Invalid(errors)
  return input
}

function jsonObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw new Invalid([{ field: '', messages: ['Send a JSON object.'] }])
}

interface Submission {
  values: Record<string, unknown>
  /** The fields that the caller may not set. */
  refused: readonly string[]
  row: object | undefined
}

/** Validates the values of a form or a JSON body: unknown fields, unstorable characters, the schema and references. */
async function validate(req: Request, resource: Resource, submission: Submission) {
  const { row } = submission
  const seen = row && seenRow(await policyContext(req), resource, row)
  const { writable, errors } = sortFields(resource, { ...submission, row: seen })
  if (errors.length > 0) await reportRefused(req, resource, submission, errors)
  // Lists are compared with those that the caller sees.
  const stored = row === undefined ? {} : inputColumns(resource, { ...completeRow(row), ...seen })
  const { data, error } = resource.input.safeParse({ ...stored, ...writable })
  if (error !== undefined) return { input: {}, errors: [...errors, ...fieldErrors(error)] }
  rejectForeign(resource, data)
  const values = storedValues(resource.joins, data)
  const input = row ? changed(values, writable, stored) : values
  const broken = await brokenReferences(req, resource, input, seen)
  return { input: validated(resource, input), errors: [...errors, ...broken] }
}

/** Throws for a column that the schema adds: clients can't send it, so it isn't input. */
function rejectForeign({ name, input: { shape } }: Resource, data: object): void {
  const foreign = Object.keys(data).find((column) => !Object.hasOwn(shape, column))
  if (foreign !== undefined)
    throw new Error(
      `${name}: the schema adds '${foreign}', which is none of its fields. Name it in set instead.`,
    )
}

/**
 * Splits the fields that clients may write from the others. An immutable field may be sent with its stored value, so
 * that a client can GET, change and PUT a record.
 */
function sortFields(resource: Resource, { values, refused, row }: Submission) {
  const writable: Record<string, unknown> = {}
  const errors: FieldError[] = []
  for (const [field, value] of Object.entries(values)) {
    const stored = row && Object.hasOwn(row, field) ? (row as Record<string, unknown>)[field] : undefined
    const isRefused = refused.includes(field)
    const fixed = isRefused || (row !== undefined && resource.immutable.includes(field))
    if (Object.hasOwn(resource.input.shape, field) && !fixed) {
      writable[field] = value
      if ([value].flat().some((text) => typeof text === 'string' && !isStorableText(text)))
        errors.push({ field, messages: ['Remove the invisible or broken character: it can’t be stored.'] })
    } else if (stored === undefined || !isDeepStrictEqual(stored, value)) {
      errors.push(isRefused ? refusedField(field) : { field, messages: [problemOf(stored)] })
    }
  }
  return { writable, errors }
}

const problemOf = (stored: unknown) =>
  stored === undefined ? 'Unknown field.' : "This field can't be changed."

/**
 * Returns the columns that were sent and differ, so that a default or a trim of the schema doesn't change other
 * columns.
 */
function changed(data: object, sent: object, stored: Record<string, unknown>): Record<string, unknown> {
  const differs = ([field, value]: [string, unknown]) =>
    Object.hasOwn(sent, field) && !isDeepStrictEqual(value, stored[field])
  return Object.fromEntries(Object.entries(data).filter(differs))
}

/** Returns the field values of a row, without the omitted fields. */
const shownValues = (resource: Resource, row: object, omitted: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(inputColumns(resource, row))
      .filter(([column]) => !omitted.includes(column))
      .map(([column, value]) => [column, fieldText(resource.input.shape[column] as z.ZodType, value)]),
  )

const inputColumns = ({ input }: Resource, row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([column]) => Object.hasOwn(input.shape, column)))
