import type { ChangesOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import { readRow } from './rows.ts'
import { deleteFrom, hasVersion, insertInto, rowVersion, updateTable } from './statements.ts'

/** Stores a row and reads it back, with what the database filled in. */
export async function insertRow<R extends Resource>(resource: R, values: NewRowOf<R>): Promise<RowOf<R>> {
  const statement = insertInto(resource).values({ ...values })
  return readRow(resource, await statement.returningAll().returning(rowVersion).executeTakeFirstOrThrow())
}

interface Target {
  id: number
  /** Only this version of the row; any, without one. */
  version?: string
}

/** Null when there is no such row, or not in this version. */
export async function updateRow<R extends Resource>(
  resource: R,
  { id, version }: Target,
  changes: ChangesOf<R>,
): Promise<RowOf<R> | null> {
  const statement = updateTable(resource)
    .set(changes)
    .where('id', '=', id)
    .$if(version !== undefined, (update) => update.where(hasVersion(version ?? '')))
  const stored = await statement.returningAll().returning(rowVersion).executeTakeFirst()
  return stored === undefined ? null : readRow(resource, stored)
}

/** Whether there was such a row, in this version. */
export async function deleteRow(resource: Resource, { id, version }: Target): Promise<boolean> {
  const statement = deleteFrom(resource)
    .where('id', '=', id)
    .$if(version !== undefined, (remove) => remove.where(hasVersion(version ?? '')))
  return (await statement.returning('id').executeTakeFirst()) !== undefined
}
