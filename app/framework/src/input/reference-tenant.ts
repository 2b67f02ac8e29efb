import type { Expression, SqlBool } from 'kysely'
import type { PolicyContext } from '../policy/authorization-types.ts'
import { isOfTenant, isSameTenant } from '../rows/tenant.ts'
import type { Resource } from '../resource/resource.ts'

/**
 * Returns whether a record of this resource may refer to the target. A target that has the column of the tenant must
 * have the caller's tenant. So must a user, although the table of users has no tenant, because sign-in reads it first.
 */
export const isReferable = (ctx: PolicyContext, { tenant }: Resource, target: object): boolean =>
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
