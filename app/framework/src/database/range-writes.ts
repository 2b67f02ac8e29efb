import { type Expression, ExpressionWrapper, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { ChangesOf, Resource } from '../resource/resource.ts'
import { asStored, rejectManaged, touched } from './storage.ts'
import { type AnyTables, deleteFrom, updateTable } from './statements.ts'

/** A list that says by its conditions which rows are meant. */
type Meant = SelectQueryBuilder<AnyTables, 'row', object>

/** Changes every row that the list would show now, in one statement; how many there were. Throws for a managed column. */
export async function updateRows<R extends Resource>(
  resource: R,
  meant: Meant,
  changes: ChangesOf<R>,
): Promise<number> {
  rejectManaged(resource, changes)
  return Object.keys(changes).length === 0 ? 0 : write(resource, meant, changes)
}

/** Puts every row that the list would show now into the trash, where there is one, else deletes it; how many there were. */
export async function deleteRows(resource: Resource, meant: Meant): Promise<number> {
  if (resource.managed.softDelete) return write(resource, meant, { deleted_at: sql`now()` })
  const { numDeletedRows } = await deleteFrom(resource).where(conditionOf(meant)).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

async function write(resource: Resource, meant: Meant, changes: object): Promise<number> {
  const { numUpdatedRows } = await updateTable(resource)
    .set({ ...asStored(resource, changes), ...touched(resource) })
    .where(conditionOf(meant))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

// The list's own condition, whatever it is made of. A subquery would not be asked again about a row that somebody else
// changed while this statement waited for it.
function conditionOf(meant: Meant): Expression<SqlBool> {
  const { where } = meant.toOperationNode()
  if (where === undefined)
    throw new Error('A list without conditions means every row, and is not written so.')
  return new ExpressionWrapper(where.where)
}
