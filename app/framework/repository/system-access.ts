import { loadRow, readRow } from '../database/rows.ts'
import { deleteFrom, insertInto, rowVersion, updateTable } from '../database/statements.ts'
import type { ChangesOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import { type Listing, listing } from './listing.ts'

/** Reads and writes for which no policy and no scope is asked: seeds, tasks, tests, sign-up. */
export interface SystemAccess<R extends Resource> extends Listing<R> {
  find(id: number): Promise<RowOf<R> | null>
  insert(values: NewRowOf<R>): Promise<RowOf<R>>
  /** Null when there is no such row. */
  update(id: number, changes: ChangesOf<R>): Promise<RowOf<R> | null>
  /** Whether there was such a row. */
  delete(id: number): Promise<boolean>
}

export function systemAccess<R extends Resource>(resource: R): SystemAccess<R> {
  return {
    ...listing(resource, (is) => is.lit(true)),
    find: (id) => loadRow(resource, id),
    async insert(values) {
      const stored = await insertInto(resource)
        .values(values)
        .returningAll()
        .returning(rowVersion)
        .executeTakeFirstOrThrow()
      return readRow(resource, stored)
    },
    async update(id, changes) {
      const statement = updateTable(resource).set(changes).where('id', '=', id)
      const stored = await statement.returningAll().returning(rowVersion).executeTakeFirst()
      return stored === undefined ? null : readRow(resource, stored)
    },
    async delete(id) {
      return (
        (await deleteFrom(resource).where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
      )
    },
  }
}
