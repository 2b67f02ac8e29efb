import { sql } from 'kysely'
import { executor } from '../src/database/executor.ts'
import { sqlState } from '../src/database/sql-states.ts'
import { isOfTenant, withTenant } from '../src/rows/tenant.ts'
import { inTransaction } from '../src/database/transaction.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
import { allRecords, type Row } from './all-records.ts'
import type { TestApp } from './test-app.ts'

/** The application, and the tenants of a probe. */
export interface Tenants {
  readonly app: TestApp
  readonly own: RecordId
  readonly foreign: RecordId
}

/** Returns a row of a tenant. For a resource without a tenant, any row. */
export async function rowOf(
  { app }: Tenants,
  resource: Resource,
  tenant: RecordId,
): Promise<Row | undefined> {
  const [row] = await app.within(() => withTenant(tenant, () => allRecords(resource)))
  return row
}

/** Returns the id of a row of the other tenant to which no row of this resource may refer; undefined if none exists. */
export async function targetOf(
  tenants: Tenants,
  resource: Resource,
  target: Resource,
): Promise<RecordId | undefined> {
  if (target.tenant !== null) return (await rowOf(tenants, target, tenants.foreign))?.id
  const tenant = tenantColumnOf(resource, target)
  if (tenant === null) return undefined
  const ids = sql<{ id: RecordId }>`select id from ${sql.table(target.table)}
    where ${isOfTenant({ table: target.table, tenant }, tenants.foreign)} order by id limit 1`
  const { rows } = await tenants.app.within(() => ids.execute(executor()))
  return rows[0]?.id
}

/** Returns the column by which a reference is compared. The table of users has it, although users have no tenant. */
const tenantColumnOf = ({ tenant }: Resource, target: Resource): string | null =>
  target.tenant ?? (target.columns.includes(tenant ?? '') ? tenant : null)

/** The beginning of the marked texts. No other text contains it. */
export const MARK = 'zq7xforeign'

/**
 * Writes a mark into the texts of a tenant's rows: into their labels and the columns that a search finds. Leaves columns
 * without a mark whose constraints refuse it.
 */
export async function markRows(resources: readonly Resource[], tenant: RecordId): Promise<void> {
  for (const resource of resources) {
    const columns = new Set([resource.label, ...resource.lists.search].filter((column) => column !== 'id'))
    for (const column of columns) await mark(resource, column, tenant)
  }
}

async function mark(resource: Resource, column: string, tenant: RecordId): Promise<void> {
  const name = sql.id(column)
  const update = sql`update ${sql.table(resource.table)} set ${name} = ${MARK} || id
    where ${isOfTenant(resource, tenant)} and ${name} is not null and not starts_with(${name}::text, ${MARK})`
  try {
    await inTransaction(() => update.execute(executor()))
  } catch (error) {
    if (!REFUSED.has(sqlState(error))) throw error
  }
}

/** The column has another type than text, or its values have a format. */
const REFUSED = new Set<string | null>(['23514', '22P02', '42804', '22001'])

/** Returns a digest of all rows of a tenant. */
export async function digestOf(resources: readonly Resource[], tenant: RecordId): Promise<string> {
  const digests = resources.map(async (resource) => {
    const { rows } = await sql<{ digest: string | null }>`
      select md5(string_agg(to_jsonb(${sql.table(resource.table)}.*)::text, '' order by id)) as digest
      from ${sql.table(resource.table)} where ${isOfTenant(resource, tenant)}`.execute(executor())
    return rows[0]?.digest
  })
  return JSON.stringify(await Promise.all(digests))
}

/** Deletes a row permanently, without hooks, and first the rows that refer to it. */
export async function deleteRecord(
  resource: Resource,
  id: RecordId,
  all: readonly Resource[],
): Promise<void> {
  for (const child of all)
    for (const [column, target] of Object.entries(child.references)) {
      if (target !== resource || column in child.joins) continue
      const { rows } = await sql<{ id: RecordId }>`
        select id from ${sql.table(child.table)} where ${sql.id(column)} = ${id}`.execute(executor())
      for (const row of rows) await deleteRecord(child, row.id, all)
    }
  await sql`delete from ${sql.table(resource.table)} where id = ${id}`.execute(executor())
}

/** Returns a sentence for each reference by which rows of one tenant refer to rows of another. */
export async function crossedReferences(resources: readonly Resource[]): Promise<string[]> {
  const sentences = resources.flatMap((resource) =>
    Object.entries(resource.references).map(async ([column, target]) => {
      const tenant = tenantColumnOf(resource, target)
      if (tenant === null) return []
      const own = sql.ref(`${resource.table}.${resource.tenant}`)
      const ids = sql`(select id from ${sql.table(target.table)} as parent where parent.${sql.id(tenant)} <> ${own})`
      const refers = resource.joins[column]?.has(resource.table, ids) ?? sql`${sql.ref(column)} in ${ids}`
      const crossed = sql`select from ${sql.table(resource.table)} where ${refers} limit 1`
      const { rows } = await crossed.execute(executor())
      return rows.map(() => `${resource.name}.${column} refers to a ${target.name} of another tenant.`)
    }),
  )
  return (await Promise.all(sentences)).flat()
}
