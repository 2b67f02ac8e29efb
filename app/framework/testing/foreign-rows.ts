import { sql } from 'kysely'
import { executor } from '../src/database/executor.ts'
import { sqlState } from '../src/database/sql-states.ts'
import { isOfTenant, withTenant } from '../src/rows/tenant.ts'
import { inTransaction } from '../src/database/transaction.ts'
import { allRows, listSource } from '../src/lists/list-source.ts'
import { listing } from '../src/lists/listing.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
import type { TestApp } from './test-app.ts'

export type Row = Readonly<Record<string, unknown>>

/** The application, and the tenants of a probe. */
export interface Tenants {
  readonly app: TestApp
  readonly own: RecordId
  readonly foreign: RecordId
}

/** Returns a row of a tenant; null if it has none. For a resource without a tenant, any row. */
export async function rowOf({ app }: Tenants, resource: Resource, tenant: RecordId): Promise<Row | null> {
  const [row] = await app.within(() =>
    withTenant(tenant, () => listing(listSource(resource, allRows(resource))).findAll()),
  )
  return (row as Row | undefined) ?? null
}

/**
 * Returns a row of the other tenant to which no row of this resource may refer; null if none exists. The table of users
 * has the column of the tenant, although users have no tenant.
 */
export async function targetOf(
  tenants: Tenants,
  { tenant }: Resource,
  target: Resource,
): Promise<Row | null> {
  if (target.tenant !== null) return rowOf(tenants, target, tenants.foreign)
  return tenants.app.within(async () => {
    if (tenant === null || !target.columns.includes(tenant)) return null
    const { rows } = await sql<Row>`select id from ${sql.table(target.table)}
      where ${isOfTenant({ table: target.table, tenant }, tenants.foreign)} order by id limit 1`.execute(
      executor(),
    )
    return rows[0] ?? null
  })
}

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
      if (target !== resource) continue
      const { rows } = await sql<{ id: RecordId }>`
        select id from ${sql.table(child.table)} where ${sql.id(column)} = ${id}`.execute(executor())
      for (const row of rows) await deleteRecord(child, row.id, all)
    }
  await sql`delete from ${sql.table(resource.table)} where id = ${id}`.execute(executor())
}

/** Returns a sentence for each reference by which rows of one tenant refer to rows of another. */
export async function crossedReferences(resources: readonly Resource[]): Promise<string[]> {
  const references = resources.flatMap((resource) =>
    Object.entries(resource.references).map(([column, target]) => ({
      resource,
      column,
      target,
      tenant: target.tenant ?? (target.columns.includes(resource.tenant ?? '') ? resource.tenant : null),
    })),
  )
  const counts = references.map(async ({ resource, column, target, tenant }) => {
    if (tenant === null) return []
    const { rows } = await sql<{ count: string }>`
      select count(*) from ${sql.table(resource.table)} as child
      join ${sql.table(target.table)} as parent on parent.id = child.${sql.id(column)}
      where child.${sql.id(resource.tenant!)} <> parent.${sql.id(tenant)}`.execute(executor())
    return Number(rows[0]?.count) > 0
      ? [`${resource.name}.${column} refers to a ${target.name} of another tenant.`]
      : []
  })
  return (await Promise.all(counts)).flat()
}
