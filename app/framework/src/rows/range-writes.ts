import { type Expression, ExpressionWrapper, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { ChangesOf, Resource } from '../resource/resource.ts'
import { asStored, rejectManaged, managedChanges } from './storage.ts'
import { type AnyTables, deleteFrom, updateTable } from './statements.ts'

/** A list whose conditions select the rows to write. */
type Target = SelectQueryBuilder<AnyTables, 'row', object>

/** Updates every row of the list in one statement. Returns how many rows it updated. Throws for a managed column. */
export async function updateRows<R extends Resource>(
  resource: R,
  list: Target,
  changes: ChangesOf<R>,
): Promise<number> {
  rejectManaged(resource, changes)
  const joined = Object.keys(changes).find((column) => column in resource.joins)
  if (joined !== undefined)
    throw new Error(`${resource.name}.${joined} is in a join table. Update the records one by one.`)
  return Object.keys(changes).length === 0 ? 0 : write(resource, list, changes)
}

/**
 * Deletes every row of the list, or moves it to the trash if the resource has `softDelete`. Returns how many rows it
 * deleted.
 */
export async function deleteRows(resource: Resource, list: Target): Promise<number> {
  if (resource.managed.softDelete) return write(resource, list, { deleted_at: sql`now()` })
  const { numDeletedRows } = await deleteFrom(resource).where(conditionOf(list)).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

async function write(resource: Resource, list: Target, changes: object): Promise<number> {
  const { numUpdatedRows } = await updateTable(resource)
    .set({ ...asStored(resource, changes), ...managedChanges(resource) })
    .where(conditionOf(list))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

// Returns the condition of the list. A subquery would not suffice: Postgres doesn't evaluate it again for a row that
// another transaction changed while this statement waited for the row.
function conditionOf(list: Target): Expression<SqlBool> {
  const { where } = list.toOperationNode()
  if (where === undefined)
    throw new Error('A list without conditions would write every row. Add a condition.')
  return new ExpressionWrapper(where.where)
}
