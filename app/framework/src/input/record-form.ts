import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import type { z } from 'zod'
import type { Seen } from '../policy/field-access.ts'
import { databaseFailure } from '../database/database-failure.ts'
import { currentDatabaseContext } from '../database/executor.ts'
import { requireVersion } from '../policy/recorded-decisions.ts'
import { shownVersion } from '../rows/rows.ts'
import { Invalid, PreconditionRequired } from '../http/errors.ts'
import {
  type FormState,
  formValues,
  readForm,
  type Refused,
  refusedForm,
  type Submitted,
} from '../http/views/form.ts'
import { storedValue } from '../resource/join.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { Stale } from '../writes/write-conflicts.ts'

type Values = FormState['values']
type StateOf<Schema extends z.ZodObject> = FormState<keyof Schema['shape'] & string>

/** A form whose fields differ from its resource's input, as `recordForm` returns it. */
interface RecordForm<R extends Resource, Schema extends z.ZodObject> {
  /** Returns the state of the form for this row. */
  show(row: RowOf<Seen<R>>): StateOf<Schema>
  /** Reads and validates the submitted form, as `formInput` does. */
  read(req: Request, row: RowOf<Seen<R>>): Promise<Submitted<z.output<Schema>, RowOf<Seen<R>>>>
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
  { schema, valuesOf }: { schema: Schema; valuesOf: (row: RowOf<Seen<R>>) => StateOf<Schema>['values'] },
): RecordForm<R, Schema> {
  return {
    show: (row) => ({ ...versionOf(resource, row), values: valuesOf(row), errors: {} }),
    read: (req, row) => ifUnchanged(req, { resource, row, schema, valuesOf }, () => readForm(req, schema)),
  }
}

/** Returns the version that a form submits with its fields. */
export function versionOf(resource: Resource, row: object): { version?: string } {
  const version = shownVersion(resource, row)
  return version === undefined ? {} : { version }
}

interface About<Row> {
  resource: Resource
  row: Row
  schema: z.ZodObject
  /** Returns the field values of a row. */
  valuesOf: (row: Row) => Values
}

/**
 * Reads a form if it was filled in from the current version of the row. Otherwise returns the form with both
 * versions. Resources without versions skip the check. Throws `PreconditionRequired` if the form has no version.
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
    // The stored values equal the submitted ones, for example after a double click: nothing is overwritten.
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
  throw new PreconditionRequired(
    'This form has no version of the record. Reload the page and submit it again.',
  )
}

const CHANGED =
  'Another user changed this record in the meantime. Your input is still here, with the stored value beside each ' +
  'field that differs. Submit the form again to overwrite the stored values.'

function conflictForm<Row extends object>(about: About<Row>, typed: Values, current: Row): Refused<Row> {
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

/** Returns the stored values of the fields that differ from the submitted ones. */
const differing = <Row>({ resource, schema, valuesOf }: About<Row>, typed: Values, current: Row) =>
  Object.entries(valuesOf(current)).filter(([field, value]) => {
    const read = (input: unknown) => storedValue(resource.joins, field, readValue(schema, field, input))
    return !isDeepStrictEqual(value, typed[field]) && !isDeepStrictEqual(read(value), read(typed[field]))
  })

/**
 * Returns the value that would be stored, since one value can be written in several ways. An invalid value is
 * compared as text.
 */
function readValue({ shape }: z.ZodObject, field: string, input: unknown): unknown {
  const read = (shape[field] as z.ZodType | undefined)?.safeParse(input)
  return read?.success ? read.data : input
}

/** A stored form with the result of `store`, or the form to show again. */
export type StoredForm<Result, Row = object> =
  { readonly valid: true; readonly stored: Result } | Refused<Row>

/**
 * Calls `store` with the input of a valid form. Returns `{ valid: true, stored }`, or the form to show again: an
 * `Invalid` of `store` becomes errors beside the fields (422), a value that the database rejects outside of a transaction
 * becomes one above them (422), and a `Stale` becomes the form with both versions (409). Throws all other errors of `store`.
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
    // An open transaction has failed with its statement: only a thrown error ends it.
    const isOpen = currentDatabaseContext()?.db.isTransaction === true
    const invalid = isOpen ? error : (databaseFailure(error) ?? error)
    if (!(invalid instanceof Invalid)) throw error
    const { input: _input, conflict: _conflict, ...state } = form
    return { ...state, ...refusedForm(state.values, invalid.errors ?? []) }
  }
}
