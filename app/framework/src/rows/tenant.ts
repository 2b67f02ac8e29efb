import { type Expression, sql, type SqlBool } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { currentDatabaseContext, databaseContext, within } from '../database/executor.ts'
import { ALL_TENANTS, type Tenancy } from '../database/unit.ts'

/**
 * Calls `work` and returns its result. Within it, repositories of resources with a `tenant` read and write the rows of
 * this tenant, and new rows belong to it. For tasks, seeds and the console: in a request, `tenantOf` names the tenant.
 * Throws if `tenant` is not an id, and if `work` doesn't return a promise.
 *
 * ```ts
 * await withTenant(account.id, () => projects.asSystem('nightly report').findAll())
 * ```
 */
export async function withTenant<Result>(tenant: RecordId, work: () => Promise<Result>): Promise<Result> {
  if (!isTenant(tenant)) throw new Error(`withTenant needs the id of a tenant; got ${String(tenant)}.`)
  return within({ tenant }, () => settled(work, 'withTenant'))
}

/**
 * Calls `work` and returns its result. Within it, `asSystem` reads and writes the rows of all tenants, and a new
 * row must name its tenant. For walks of tasks through a whole table.
 */
export async function withAllTenants<Result>(work: () => Promise<Result>): Promise<Result> {
  return within({ tenant: ALL_TENANTS }, () => settled(work, 'withAllTenants'))
}

/** A walk would read its rows later, outside of the tenant. */
function settled<Result>(work: () => Promise<Result>, name: string): Promise<Result> {
  const result: unknown = work()
  if (result instanceof Promise) return result as Promise<Result>
  throw new Error(`${name} needs a function that returns a promise. Read the batches of a walk within it.`)
}

/** Returns whether the running code is within `withAllTenants`. */
export const readsAllTenants = (): boolean => tenancyIn(currentDatabaseContext()) === ALL_TENANTS

/** Returns whether a value can be the id of a tenant. */
export const isTenant = (value: unknown): value is RecordId =>
  typeof value === 'string' || Number.isSafeInteger(value)

/** Returns the tenant of the running code. Null without one, and within `withAllTenants`. */
export function currentTenant(): RecordId | null {
  const tenancy = tenancyIn(currentDatabaseContext())
  return isTenant(tenancy) ? tenancy : null
}

/**
 * Returns the condition for the rows of the running code's tenant; an empty list without `tenant`. Throws if no tenant is
 * set: a statement must never read the rows of all tenants by mistake.
 *
 * `"projects"."account_id" = $1`
 */
export function tenantConditions(resource: Resource): Expression<SqlBool>[] {
  if (resource.tenant === null) return []
  const tenancy = tenancyFor(resource)
  return tenancy === ALL_TENANTS ? [] : [isOfTenant(resource, tenancy)]
}

/** Returns the condition for the rows of a tenant. Without a tenant, it is false for every row. */
export function isOfTenant(
  { table, tenant }: Pick<Resource, 'table' | 'tenant'>,
  id: RecordId | null,
): Expression<SqlBool> {
  return id === null ? sql<boolean>`false` : sql<boolean>`${sql.ref(`${table}.${tenant}`)} = ${id}`
}

/**
 * Returns the values of a new row with its tenant. Throws if no tenant is set, and if the values name another tenant than
 * that of the running code.
 */
export function withTenantValue(resource: Resource, row: object): object {
  const { name, tenant } = resource
  if (tenant === null) return row
  const tenancy = tenancyFor(resource)
  const value = (row as Record<string, unknown>)[tenant]
  if (tenancy === ALL_TENANTS) {
    if (isTenant(value)) return row
    throw new Error(`A new ${name} needs a tenant. Pass ${tenant}, or call withTenant(id, () => …).`)
  }
  if (tenancy === null)
    throw new Error(
      `A new ${name} needs a tenant, and the caller has none. Return one from tenantOf, or call withTenant(id, () => …).`,
    )
  if (value !== undefined && !isSameTenant(value, tenancy))
    throw new Error(`A new ${name} has another tenant than the running code. Leave ${tenant} out.`)
  return { ...row, [tenant]: tenancy }
}

/** Returns whether a stored value is the tenant: a `bigint` may be a number in one place and text in another. */
export const isSameTenant = (value: unknown, tenant: RecordId | null): boolean =>
  tenant !== null && isTenant(value) && String(value) === String(tenant)

/** Throws if the changes contain the tenant. */
export function rejectTenant({ name, tenant }: Resource, changes: object): void {
  if (tenant !== null && Object.hasOwn(changes, tenant))
    throw new Error(`${name}.${tenant} is the tenant of a record, which never changes. Leave it out.`)
}

function tenancyFor({ name }: Resource): Tenancy {
  const tenancy = tenancyIn(databaseContext())
  if (tenancy !== undefined) return tenancy
  throw new Error(
    `${name} belongs to tenants, and no tenant is set here. Call withTenant(id, () => …), or withAllTenants(() => …). In a request, call policyContext(req) first.`,
  )
}

const tenancyIn = (here: ReturnType<typeof currentDatabaseContext>): Tenancy | undefined =>
  here?.tenant === undefined ? here?.unit.tenant : here.tenant
