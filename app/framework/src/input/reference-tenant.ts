import type { Request } from 'express'
import type { Expression, SqlBool } from 'kysely'
import type { PolicyContext } from '../policy/authorization-types.ts'
import { isAllowed } from '../policy/abilities.ts'
import { policyContext } from '../policy/policy-context.ts'
import { idsAmong, seenIds } from '../policy/seen-record.ts'
import { sortedIds } from '../resource/record-id.ts'
import type { RecordId } from '../resource/tables.ts'
import { isOfTenant, isSameTenant } from '../rows/tenant.ts'
import { loadRow } from '../rows/rows.ts'
import type { FieldError } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'

/** Checks references. A target that the caller may not see gets the same error as one that doesn't exist. */
export async function brokenReferences(
  req: Request,
  resource: Resource,
  input: object,
): Promise<FieldError[]> {
  const broken: FieldError[] = []
  for (const [field, target] of Object.entries(resource.references)) {
    const ids = [(input as Record<string, unknown>)[field] ?? []].flat()
    const records = await Promise.all(ids.map((id) => referable(req, { resource, target }, id)))
    if (records.includes(null)) broken.push({ field, messages: ['This record does not exist.'] })
  }
  return broken
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

type Lists = Readonly<Record<string, readonly RecordId[]>>

/**
 * Returns the input with the stored ids that the caller doesn't see in the lists of a record: an update must not remove
 * them. Costs two statements if the caller doesn't see all ids, else none.
 */
export async function withUnseenIds<Input extends object>(
  req: Request,
  resource: Resource,
  row: object,
  input: Input,
): Promise<Input> {
  const queries = Object.entries(seenIds(await policyContext(req), resource) ?? {})
  if (queries.length === 0) return input
  // The row may come from a list, which contains only the ids that the caller sees.
  const stored = ((await loadRow(resource, (row as { id: RecordId }).id, 'all')) ?? {}) as Lists
  const lists = queries.map(async ([column, query]) => {
    const ids = stored[column] ?? []
    const seen = await idsAmong(query, ids)
    const unseen = ids.filter((id) => !seen.includes(id))
    return [column, sortedIds([...unseen, ...((input as Lists)[column] ?? [])])] as const
  })
  return { ...input, ...Object.fromEntries(await Promise.all(lists)) }
}
