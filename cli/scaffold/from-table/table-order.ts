import type { StoredTable } from './stored-tables.ts'

/** Returns the tables that these tables refer to before them. In a circle, the first by name comes first. */
export function parentsFirst(tables: readonly StoredTable[]): StoredTable[] {
  const ordered = new Set<StoredTable>()
  const visited = new Set<StoredTable>()
  const visit = (table: StoredTable) => {
    if (visited.has(table)) return
    visited.add(table)
    for (const parent of parentsOf(table, tables)) visit(parent)
    ordered.add(table)
  }
  tables.forEach(visit)
  return [...ordered]
}

/** Returns whether the rows of `from` lead to those of `to`, directly or by other tables. */
export function leadsTo(from: StoredTable, to: StoredTable, tables: readonly StoredTable[]): boolean {
  const reached = new Set([from])
  for (const table of reached) for (const parent of parentsOf(table, tables)) reached.add(parent)
  return reached.has(to)
}

const parentsOf = ({ constraints }: StoredTable, tables: readonly StoredTable[]): StoredTable[] =>
  constraints.flatMap(({ target }) => tables.find(({ name }) => name === target) ?? [])
