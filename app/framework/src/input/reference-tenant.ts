import type { Request } from 'express'
import type { Expression, SqlBool } from 'kysely'
import type { PolicyContext } from '../policy/authorization-types.ts'
import { isAllowed } from '../policy/abilities.ts'
import { policyContext } from '../policy/policy-context.ts'
import { idsAmong, seenIds } from '../policy/seen-record.ts'
import type { RecordId } from '../resource/tables.ts'
import { isOfTenant, isSameTenant } from '../rows/tenant.ts'
import type { SeenIds } from '../rows/row-columns.ts'
import { loadRow } from '../rows/rows.ts'
import type { FieldError } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'

/** The most ids that a write adds to a list, since each is checked. */
const MOST_ADDED = 100

/**
 * Checks references, and the ids that lists of the row that the caller sees don't have yet. A target that the caller may not
 * see gets the same error as one that doesn't exist.
 */
export async function brokenReferences(
  req: Request,
  resource: Resource,
  input: object,
  seen: object = {},
): Promise<FieldError[]> {
  const broken: FieldError[] = []
  const queries = seenIds(await policyContext(req), resource)
  for (const [field, target] of Object.entries(resource.references)) {
    const known = field in resource.joins ? idsIn(seen, field) : []
    const ids = idsIn(input, field).filter((id) => !known.includes(id))
    if (ids.length > MOST_ADDED) broken.push({ field, messages: [`Add ${MOST_ADDED} or fewer at once.`] })
    else if (!(await areReferable(req, { resource, target }, ids, queries?.[field])))
      broken.push({ field, messages: ['This record does not exist.'] })
  }
  return broken
}

const idsIn = (values: object, field: string): unknown[] =>
  [(values as Record<string, unknown>)[field] ?? []].flat()

/** The caller must be able to see an id of a list, to remove it again. */
async function areReferable(req: Request, reference: Reference, ids: unknown[], seen?: SeenIds[string]) {
  const records = await Promise.all(ids.map((id) => referable(req, reference, id)))
  return !records.includes(null) && (!seen || (await idsAmong(seen, ids as RecordId[])).length === ids.length)
}

/** A resource with a reference, and the resource that it refers to. */
export interface Reference {
  readonly resource: Resource
  readonly target: Resource
}

/** Returns the target of a reference; null if it doesn't exist, or if the caller may not refer to it. */
export async function referable(req: Request, { resource, target }: Reference, id: unknown) {
  const record = await loadRow(target, id)
  const ctx = await policyContext(req)
  if (record === null || !isReferable(ctx, resource, record)) return null
  return (await isAllowed(req, ctx, { action: 'show', resource: target, record })) ? record : null
}

/**
 * Returns whether a record of this resource may refer to the target. A target that has the column of the tenant must
 * have the caller's tenant. So must a user, although the table of users has no tenant, because sign-in reads it first.
 */
const isReferable = (ctx: PolicyContext, { tenant }: Resource, target: object): boolean =>
  tenant === null ||
  !Object.hasOwn(target, tenant) ||
  isSameTenant((target as Record<string, unknown>)[tenant], ctx.tenant)

/** Returns the conditions for the targets to which a record of this resource may refer: see `isReferable`. */
export function referableTargets(
  ctx: PolicyContext,
  { tenant }: Resource,
  target: Resource,
): Expression<SqlBool>[] {
  if (tenant === null || target.tenant !== null || !target.columns.includes(tenant)) return []
  return [isOfTenant({ table: target.table, tenant }, ctx.tenant)]
}
