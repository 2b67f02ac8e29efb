import type { Request } from 'express'
import { blankDraft } from '../authorization/decisions.ts'
import { hasFieldRules, unsettableFields } from '../authorization/field-rules.ts'
import { policyContext } from '../authorization/policy-context.ts'
import { reportRefusedField } from '../authorization/refused-fields.ts'
import { unsettableIn } from '../authorization/request-state.ts'
import type { FieldError } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'

/** Removes the fields that the form omitted and that the browser therefore didn't send, such as an unchecked box. */
export function withoutUnsent(
  values: Record<string, unknown>,
  body: unknown,
  omitted: readonly string[],
): Record<string, unknown> {
  const isUnsent = (field: string) => omitted.includes(field) && !Object.hasOwn(Object(body), field)
  return Object.fromEntries(Object.entries(values).filter(([field]) => !isUnsent(field)))
}

/** Returns the fields that the caller may not set in the row, or in a new record. */
export async function unsettable(
  req: Request,
  resource: Resource,
  row: object | undefined,
): Promise<readonly string[]> {
  const ctx = await policyContext(req)
  if (!hasFieldRules(ctx, resource)) return []
  const recorded = row && unsettableIn(row)
  if (recorded !== undefined) return recorded
  const [action, record] = row === undefined ? ['create', blankDraft(resource, ctx)] : ['update', row]
  return unsettableFields(ctx, { resource, action, record })
}

/** Reports each field with an error that the caller may not set, as a denial. */
export async function reportRefused(
  req: Request,
  resource: Resource,
  { omitted, row }: { omitted: readonly string[]; row?: object },
  errors: readonly FieldError[],
): Promise<void> {
  const ctx = await policyContext(req)
  for (const { field } of errors)
    if (omitted.includes(field))
      reportRefusedField(req, ctx, { resource, record: row ?? blankDraft(resource, ctx), field })
}
