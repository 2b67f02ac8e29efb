import type { Resource } from './resource.ts'
import type { TableName } from './tables.ts'

/** A resource, `'self'` for the resource that refers, or the table of a resource. */
export type Reference = Resource | 'self' | TableName

const byTable = new Map<string, Resource>()
const accessTables = new Set<string>()

/** Returns which writes a table refuses: those past the repository of its resource, or past its `accessTable`. */
export function guardOf(table: string): 'resource' | 'access table' | null {
  if (byTable.has(table)) return 'resource'
  return accessTables.has(table) ? 'access table' : null
}

/** Returns the names of the access tables, sorted. */
export const accessTableNames = (): string[] => [...accessTables].toSorted()

/** Makes a table an access table. Throws if it is one, or belongs to a resource. */
export function claimAccessTable(table: string): void {
  const guard = guardOf(table)
  if (guard !== null)
    throw new Error(`${table} already belongs to ${guard === 'resource' ? 'a' : 'an'} ${guard}.`)
  accessTables.add(table)
}

/** Makes a resource the one of its table. Throws if another resource has its name or its table. */
export function claimTable(resource: Resource): void {
  const { name, table } = resource
  if (accessTables.has(table))
    throw new Error(`${name}: ${table} is an access table. Remove its accessTable.`)
  for (const other of byTable.values())
    if (other.name === name || other.table === table)
      throw new Error(
        `${name} (${table}): ${other.name} (${other.table}) already exists. Each resource needs its own name and table.`,
      )
  byTable.set(table, resource)
}

/** Returns the resource of a table. */
export const resourceOfTable = (table: string): Resource | undefined => byTable.get(table)

/** The resource that refers to others. */
type Referring = Pick<Resource, 'name' | 'tenant'>

/**
 * Returns the resources that foreign keys refer to, by column. One that is named by its table is looked up when it is
 * read: the files of two resources that refer to each other can't import each other.
 */
export function referencesOf(
  referring: Referring,
  references: Readonly<Record<string, Reference>>,
  self: () => Resource,
): Record<string, Resource> {
  const targets: Record<string, Resource> = {}
  for (const [column, target] of Object.entries(references)) {
    if (typeof target === 'object') rejectHiddenTenant(referring, target)
    Object.defineProperty(targets, column, {
      enumerable: true,
      get: () => (target === 'self' ? self() : resolved(referring, column, target)),
    })
  }
  return Object.freeze(targets)
}

function resolved(referring: Referring, column: string, target: Resource | TableName): Resource {
  if (typeof target === 'object') return target
  const found = byTable.get(target)
  if (found === undefined)
    throw new Error(
      `${referring.name}.${column} refers to the table ${target}, which belongs to no resource that was imported. List the resource in app/resources.ts.`,
    )
  rejectHiddenTenant(referring, found)
  return found
}

/** The tenant of a record is compared with that of a target without a `tenant`. */
function rejectHiddenTenant({ name, tenant }: Referring, target: Resource): void {
  if (tenant !== null && target.tenant === null && target.hidden.includes(tenant))
    throw new Error(
      `${name}: ${target.name} hides '${tenant}', so references to it can't be limited to the tenant. Show the column.`,
    )
}
