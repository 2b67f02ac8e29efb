import { planTableRemoval, type TableRemoval } from '../table-removal.ts'
import type { ProjectDatabase } from '../project/project.ts'

/**
 * Plans what happens to a table that existed before its resource: it stays. The migration that adapted it is rolled back if
 * it is the newest. Later ones stay with the columns that they added, which may have values.
 */
export async function planAdoptedTable(
  own: { readonly table: string; readonly migrations: readonly string[] },
  database: ProjectDatabase,
): Promise<TableRemoval> {
  const removal = await planTableRemoval(own, database, () => true)
  if (removal.table === 'gone') return removal
  const isUndone = removal.table === 'rolled back' && own.migrations.length === 1
  return isUndone || removal.table === 'never run'
    ? { ...removal, table: 'kept' }
    : { table: 'kept', rollback: 0, unneeded: [], writesDrop: false }
}
