import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import type { z } from 'zod'
import { completeRow, withoutFields } from '../rows/rows.ts'
import type { Resource, WithRestricted } from '../resource/resource.ts'
import type { ColumnOf } from '../resource/tables.ts'
import type { AnyPolicy, FieldAccess, Policies, PolicyContext } from './authorization-types.ts'
import { type FieldError, Invalid } from '../http/errors.ts'
import type { Question } from './decide.ts'
import { reportDenial } from './denial.ts'
import { registryOf } from './policy-state.ts'

/** The fields that some callers don't see. */
export type RestrictedFields<R extends Resource> = R['name'] extends keyof Policies
  ? Policies[R['name']] extends { fields: infer Fields }
    ? RestrictedBy<Fields>
    : never
  : never

/** Distributes over a union, for a policy that has field rules only sometimes. */
type RestrictedBy<Fields> = Fields extends FieldAccess<infer Restricted> ? Restricted : never

/** The resource as callers see it: the fields with a rule `see` are optional in its rows. */
export type Seen<R extends Resource> = [RestrictedFields<R>] extends [never]
  ? R
  : R & WithRestricted<RestrictedFields<R>>

/** Returns the row as the caller sees it: without the fields that the policy hides from them. */
export const seenRow = <Row extends object>(ctx: PolicyContext, resource: Resource, row: Row): Row =>
  accessTo(ctx, resource) === undefined ? row : withoutFields(row, unseenFields(ctx, resource, row))

/** Returns the fields of the row that the policy hides from the caller. */
export function unseenFields(ctx: PolicyContext, resource: Resource, row: object): string[] {
  const access = accessTo(ctx, resource)
  if (access === undefined) return NONE
  const complete = completeRow(row)
  return access.restricted.filter((field) => !access.sees(ctx, field, complete))
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
  const access = accessTo(ctx, resource)
  return access === undefined || !access.restricted.includes(field) || access.seesInAllRows(ctx, field)
}

/** The fields that the caller of a list sees. */
export interface SeenFields {
  /** Returns the row without the unseen fields. */
  readonly rowOf: <Row extends object>(row: Row) => Row
  /** The fields by which the list can't be sorted, searched and filtered, because the caller doesn't see all of them. */
  readonly unlisted: readonly string[]
}

/** Returns the fields that the caller of a list sees. Undefined for a policy without field rules. */
export function seenFields(ctx: PolicyContext, resource: Resource): SeenFields | undefined {
  const access = accessTo(ctx, resource)
  if (access === undefined) return undefined
  return {
    rowOf: (row) => seenRow(ctx, resource, row),
    unlisted: access.restricted.filter((field) => !access.seesInAllRows(ctx, field)),
  }
}

/** Returns the fields that the caller may not set in this record. */
export function unsettableFields(ctx: PolicyContext, { resource, action, record }: Question): string[] {
  const access = accessTo(ctx, resource)
  if (access === undefined) return NONE
  const change = { record: completeRow(record), action }
  return access.fields.filter((field) => !access.maySet(ctx, field, change))
}

/** Returns the unsettable fields among the values to store. A new record may have the schema's default. */
function refusedFields(ctx: PolicyContext, question: Question, values: object): string[] {
  const { resource, action } = question
  return unsettableFields(ctx, question).filter((field) => {
    if (!Object.hasOwn(values, field)) return false
    if (action !== 'create') return true
    const value = (values as Readonly<Record<string, unknown>>)[field]
    return field !== resource.owner && !isDeepStrictEqual(value, defaultOf(resource, field))
  })
}

/** Throws `Invalid` and reports a denial if the caller may not set one of these values in the record of the question. */
export function requireSettable(
  { req, ctx }: { req: Request; ctx: PolicyContext },
  question: Question,
  values: object,
): void {
  const refused = refusedFields(ctx, question, values)
  if (refused.length === 0) return
  for (const field of refused) reportRefusedField(req, ctx, { ...question, field })
  throw new Invalid(refused.map(refusedField))
}

/** Reports that the caller may not set a field of a record. The reason is the name of the field. */
export function reportRefusedField(
  req: Request,
  ctx: PolicyContext,
  { resource, record, field }: Pick<Question, 'resource' | 'record'> & { field: string },
): void {
  // `deny` accepts only words like `too_old`, and a column may have any name.
  const decision = { cause: 'denied', denial: { reason: field, sentence: undefined } }
  reportDenial(req, ctx, { action: 'set', resource, record, decision, ms: 0 })
}

/** The error of a field that the caller may not set. */
export const refusedField = (field: string): FieldError => ({
  field,
  messages: ['You don’t have permission to set this field.'],
})

/** Returns the value that the schema stores for a missing field. */
function defaultOf({ input }: Resource, field: string): unknown {
  const schema = input.shape[field] as z.ZodType | undefined
  return schema?.safeParse(undefined).data
}

/** Returns the columns whose values belong into no message: the hidden ones, and those that some callers don't see. */
export const secretFields = (
  { hidden }: Resource,
  policy: Pick<AnyPolicy, 'fields'> | undefined,
): readonly string[] => [...hidden, ...(policy?.fields?.restricted ?? NONE)]

/** Returns the fields that some callers don't see, by the policy that applies to this caller. */
export const restrictedFields = (ctx: PolicyContext, resource: Resource): readonly string[] =>
  accessTo(ctx, resource)?.restricted ?? NONE

/** Returns the field rules of the policy that applies to this caller. */
const accessTo = (ctx: PolicyContext, resource: Resource): FieldAccess | undefined =>
  registryOf(ctx)?.policies.get(resource)?.fields

const NONE: string[] = []
