import type { Request } from 'express'
import { blankDraft } from '../policy/decisions.ts'
import { reportRefusedField, unsettableFields } from '../policy/field-access.ts'
import { policyContext } from '../policy/policy-context.ts'
import { unsettableIn } from '../policy/recorded-decisions.ts'
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

/** Returns the fields of the input that the row lacks, because the caller doesn't see them. */
export const unseenIn = ({ input }: Resource, row: object): string[] =>
  Object.keys(input.shape).filter((field) => !Object.hasOwn(row, field))

/** Returns the fields that the caller may not set in the row, or in a new record. */
export async function unsettable(
  req: Request,
  resource: Resource,
  row: object | undefined,
): Promise<readonly string[]> {
  const ctx = await policyContext(req)
  const recorded = row && unsettableIn(row)
  if (recorded !== undefined) return recorded
  const [action, record] = row === undefined ? ['create', blankDraft(resource, ctx)] : ['update', row]
  return unsettableFields(ctx, { resource, action, record })
}

/** Reports each field with an error that the caller may not set, as a denial. */
export async function reportRefused(
  req: Request,
  resource: Resource,
  { refused, row }: { refused: readonly string[]; row: object | undefined },
  errors: readonly FieldError[],
): Promise<void> {
  const ctx = await policyContext(req)
  for (const { field } of errors)
    if (refused.includes(field))
      reportRefusedField(req, ctx, { resource, record: row ?? blankDraft(resource, ctx), field })
}
