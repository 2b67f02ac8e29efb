import { sql } from 'kysely'
import { database } from '../database/executor.ts'
import type { Resource } from '../resource/resource.ts'
import type { DeclaredResource } from './declared-resources.ts'

/**
 * Runs the seed of each resource whose table is empty, parents before children, and returns the tables that it
 * filled. `userIds` are the owners of the new records. Costs two small queries per resource in addition to the seeds.
 */
export async function seedEmptyTables(
  declared: readonly DeclaredResource[],
  userIds: readonly number[],
): Promise<string[]> {
  const filled: string[] = []
  let unseeded = parentsFirst(declared)
  for (;;) {
    const before = filled.length
    const empty: DeclaredResource[] = []
    for (const each of unseeded) {
      const { table } = each.repository.resource
      if (each.seed === undefined || !(await isEmpty(table))) continue
      await each.seed(userIds)
      if (await isEmpty(table)) empty.push(each)
      else filled.push(table)
    }
    // Of two resources that refer to each other, the first seed found no records of the second.
    if (empty.length === 0 || filled.length === before) return filled
    unseeded = empty
  }
}

/** Returns each resource after those that it refers to, unless they refer to each other. */
function parentsFirst(declared: readonly DeclaredResource[]): DeclaredResource[] {
  const byResource = new Map(declared.map((each) => [each.repository.resource, each]))
  const ordered = new Set<DeclaredResource>()
  const entered = new Set<Resource>()
  const add = (resource: Resource) => {
    if (entered.has(resource)) return
    entered.add(resource)
    Object.values(resource.references).forEach(add)
    const entry = byResource.get(resource)
    if (entry !== undefined) ordered.add(entry)
  }
  declared.forEach(({ repository }) => add(repository.resource))
  return [...ordered]
}

/** Returns whether the table has no row. Rows in the trash count, since a seed may insert the same unique values. */
async function isEmpty(table: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(database())
  return rows.length === 0
}
