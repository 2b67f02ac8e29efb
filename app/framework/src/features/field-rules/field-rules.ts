import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { completeRow, withoutFields } from '../../rows/rows.ts'
import type { Resource } from '../../resource/resource.ts'
import type { ColumnOf } from '../../resource/tables.ts'
import type { AnyFieldRule, PolicyContext } from '../../policy/authorization-types.ts'
import { NO_FIELDS } from './declared-fields.ts'
import { registryOf } from '../../policy/request-state.ts'

/** Returns the row as the caller sees it: without the fields that the policy hides from them. */
export function seenRow<Row extends object>(ctx: PolicyContext, resource: Resource, row: Row): Row {
  const fields = fieldsOf(ctx, resource)
  if (fields === NO_FIELDS) return row
  return withoutFields(row, unseenFields(ctx, resource, row))
}

/** Returns the fields of the row that the policy hides from the caller. */
export function unseenFields(ctx: PolicyContext, resource: Resource, row: object): string[] {
  const fields = fieldsOf(ctx, resource)
  const complete = completeRow(row)
  return Object.keys(fields).filter((field) => !sees(ctx, { resource, field, fields }, complete))
}

/**
 * Returns whether the caller sees the field in every row of the resource, for the column of a table. Lists can be
 * sorted, searched and filtered only by such fields. Returns true for a field without a rule.
 *
 * ```ts
 * await render(res, 'employees/index', { page, showsSalary: maySeeField(ctx, Employee, 'salary') })
 * ```
 */
export function maySeeField<R extends Resource>(
  ctx: PolicyContext,
  resource: R,
  field: ColumnOf<R['table']>,
): boolean {
  const fields = fieldsOf(ctx, resource)
  return fields === NO_FIELDS || seesInAllRows(ctx, { resource, field, fields })
}

export const hasFieldRules = (ctx: PolicyContext, resource: Resource): boolean =>
  fieldsOf(ctx, resource) !== NO_FIELDS

/** The fields that the caller of a list sees. */
export interface SeenFields {
  /** Returns the row without the unseen fields. */
  readonly rowOf: <Row extends object>(row: Row) => Row
  /** The fields by which the list can't be sorted, searched and filtered, because the caller doesn't see all of them. */
  readonly unlisted: readonly string[]
}

/** Returns the fields that the caller of a list sees. Undefined without field rules. */
export function seenFields(ctx: PolicyContext, resource: Resource): SeenFields | undefined {
  const fields = fieldsOf(ctx, resource)
  if (fields === NO_FIELDS) return undefined
  return {
    rowOf: (row) => seenRow(ctx, resource, row),
    unlisted: Object.keys(fields).filter((field) => !seesInAllRows(ctx, { resource, field, fields })),
  }
}

/** A change of a record: a stored row, or a draft if the action is `create`. */
interface Change {
  readonly resource: Resource
  readonly action: string
  readonly record: object
}

/** Returns the fields with a rule that the caller may not set in this record. */
export function unsettableFields(ctx: PolicyContext, { resource, action, record }: Change): string[] {
  const fields = fieldsOf(ctx, resource)
  if (fields === NO_FIELDS) return NONE
  const complete = completeRow(record)
  return Object.keys(fields).filter((field) => !maySet(ctx, { resource, field, fields }, [complete, action]))
}

/** Returns the unsettable fields among the values to store. A new record may have the schema's default. */
export function refusedFields(ctx: PolicyContext, change: Change, values: object): string[] {
  const { resource, action } = change
  return unsettableFields(ctx, change).filter((field) => {
    if (!Object.hasOwn(values, field)) return false
    if (action !== 'create') return true
    const value = (values as Readonly<Record<string, unknown>>)[field]
    return field !== resource.owner && !isDeepStrictEqual(value, defaultOf(resource, field))
  })
}

/** Returns the value that the schema stores for a missing field. */
function defaultOf({ input }: Resource, field: string): unknown {
  const schema = input.shape[field] as z.ZodType | undefined
  return schema?.safeParse(undefined).data
}

type Fields = Readonly<Record<string, AnyFieldRule>>
const NONE: string[] = []

/** Returns the field rules that apply to this caller. */
export const fieldsOf = (ctx: PolicyContext, resource: Resource): Fields =>
  registryOf(ctx)?.policies.get(resource)?.fields ?? NO_FIELDS

interface Field {
  readonly resource: Resource
  readonly field: string
  readonly fields: Fields
}

const ruleOf = ({ field, fields }: Field): AnyFieldRule => {
  const rule = Object.hasOwn(fields, field) ? fields[field] : undefined
  return rule ?? {}
}

function sees(ctx: PolicyContext, field: Field, row: object): boolean {
  const { see } = ruleOf(field)
  return see === undefined || answer(see(ctx, row as never), field, 'see')
}

/**
 * Calls `see` with a row that throws when it is read: without a read, the answer holds for every row. The rule may catch
 * the error, so the read is recorded.
 */
function seesInAllRows(ctx: PolicyContext, field: Field): boolean {
  let isRead = false
  const read = () => {
    isRead = true
    throw new Error(`The rule fields.${field.field}.see read the row.`)
  }
  // Each operation on the row looks up its trap in the handler, and this handler throws then.
  const anyRow = new Proxy({}, new Proxy({}, { get: read }))
  try {
    return sees(ctx, field, anyRow) && !isRead
  } catch (error) {
    if (isRead) return false
    throw error
  }
}

function maySet(ctx: PolicyContext, field: Field, [record, action]: [object, string]): boolean {
  const { set } = ruleOf(field)
  if (set !== undefined) return answer(set(ctx, record as never, action as never), field, 'set')
  // A draft lacks columns that `see` may compare.
  return action === 'create' ? seesInAllRows(ctx, field) : sees(ctx, field, record)
}

function answer(value: unknown, { resource, field }: Field, kind: keyof AnyFieldRule): boolean {
  if (typeof value === 'boolean') return value
  throw new Error(
    `${resource.name}: the rule fields.${field}.${kind} returned neither true nor false. It must not be async.`,
  )
}
