import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import type { z } from 'zod'
import { requireVersion } from '../authorization/request-state.ts'
import { shownVersion } from '../database/rows.ts'
import { Invalid, PreconditionRequired } from '../http/errors.ts'
import {
  type FormState,
  formValues,
  readForm,
  type Refused,
  refusedForm,
  type Submitted,
} from '../http/form.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { Stale } from '../writes/write-conflicts.ts'

interface Fields<R extends Resource, Schema extends z.ZodObject> {
  schema: Schema
  /** What the fields hold for a row. */
  valuesOf: (row: RowOf<R>) => FormState['values']
}

/** A form about a record whose fields are not those that its resource takes as input. */
export interface RecordForm<R extends Resource, Schema extends z.ZodObject> {
  /** The form as it shows this row. */
  show(row: RowOf<R>): FormState
  /** Reads and validates it, as `formInput` does. */
  read(req: Request, row: RowOf<R>): Promise<Submitted<z.output<Schema>, RowOf<R>>>
}

/**
 * Returns a form about a record whose fields differ from the resource's input. `show` returns its state for a row.
 * `read` reads and validates it as `formInput` does, with the same errors and statuses.
 *
 * ```ts
 * const rolesForm = recordForm(User, {
 *   schema: z.strictObject({ admin: z.boolean() }),
 *   valuesOf: (user) => ({ admin: user.roles.includes('admin') }),
 * })
 * ```
 */
export function recordForm<R extends Resource, Schema extends z.ZodObject>(
  resource: R,
  { schema, valuesOf }: Fields<R, Schema>,
): RecordForm<R, Schema> {
  return {
    show: (row) => ({ ...versionOf(resource, row), values: valuesOf(row), errors: {} }),
    read: (req, row) => ifUnchanged(req, { resource, row, schema, valuesOf }, () => readForm(req, schema)),
  }
}

/** What a form carries so that it can say which version it was filled in from. */
export function versionOf(resource: Resource, row: object): { version?: string } {
  const version = shownVersion(resource, row)
  return version === undefined ? {} : { version }
}

interface About<Row> {
  resource: Resource
  row: Row
  schema: z.ZodObject
  valuesOf: (row: Row) => FormState['values']
}

/**
 * Reads a form about a row when the caller saw the row as it is; else the form comes back with all that was typed. For a
 * resource without versions it is just read. Throws `PreconditionRequired` for a form that doesn't say what it saw.
 */
export async function ifUnchanged<Input, Row extends object>(
  req: Request,
  about: About<Row>,
  read: () => Submitted<Input, Row> | Promise<Submitted<Input, Row>>,
): Promise<Submitted<Input, Row>> {
  const { resource, row, schema } = about
  if (!resource.managed.version) return read()
  const { version } = versionOf(resource, row)
  if (version === undefined) throw new Error(`This ${resource.name} is a copy. Pass the row that was loaded.`)
  const typed = formValues(req, schema)
  if (statedVersion(req) !== version) {
    // What is asked for is stored already, by a first click on the same button say: nothing of anybody's is lost.
    return differing(about, typed, row).length === 0 ? read() : conflictForm(about, typed, row)
  }
  requireVersion(req, row)
  const form = await read()
  return form.valid
    ? { ...form, version, conflict: (current) => conflictForm(about, typed, current as Row) }
    : { ...form, version }
}

function statedVersion(req: Request): unknown {
  const { _version } = req.body as { _version?: unknown }
  if (_version !== undefined) return _version
  throw new PreconditionRequired('This form does not say which version of the record it was filled in from.')
}

const CHANGED =
  'Somebody else changed this meanwhile. What you typed is still here, and beside it what is stored now where that ' +
  'differs. Send the form again to put yours in its place.'

function conflictForm<Row extends object>(
  about: About<Row>,
  typed: FormState['values'],
  current: Row,
): Refused<Row> {
  return {
    ...versionOf(about.resource, current),
    valid: false,
    status: 409,
    values: typed,
    errors: { '': [CHANGED] },
    storedNow: Object.fromEntries(differing(about, typed, current)),
    current,
  }
}

/** The fields in which the form isn't what is stored, with what is. */
const differing = <Row>({ schema, valuesOf }: About<Row>, typed: FormState['values'], current: Row) =>
  Object.entries(valuesOf(current)).filter(([field, value]) => {
    const read = (given: unknown) => readValue(schema, field, given)
    return !isDeepStrictEqual(value, typed[field]) && !isDeepStrictEqual(read(value), read(typed[field]))
  })

/** What would be stored: one value may be written in several ways. What is refused stands for itself. */
function readValue({ shape }: z.ZodObject, field: string, given: unknown): unknown {
  const read = (shape[field] as z.ZodType | undefined)?.safeParse(given)
  return read?.success ? read.data : given
}

/** A form that was stored, with what `store` gave, or one that has to be shown again. */
export type StoredForm<Result, Row = object> =
  { readonly valid: true; readonly stored: Result } | Refused<Row>

/**
 * Calls `store` with the input of a valid form. Returns `{ valid: true, stored }`, or the form to show again: an
 * `Invalid` of `store` becomes errors beside the fields (422), a `Stale` becomes the form with both versions (409).
 * Throws whatever else `store` throws.
 */
export async function storeForm<Input, Row, Result>(
  form: Submitted<Input, Row>,
  store: (input: Input) => Promise<Result>,
): Promise<StoredForm<Result, Row>> {
  if (!form.valid) return form
  try {
    return { valid: true, stored: await store(form.input) }
  } catch (error) {
    if (error instanceof Stale && form.conflict !== undefined) return form.conflict(error.current)
    if (!(error instanceof Invalid)) throw error
    const { values, version } = form
    return { ...refusedForm(values, error.errors ?? []), ...(version !== undefined && { version }) }
  }
}
