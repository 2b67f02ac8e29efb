import { loadRow } from '../database/rows.ts'
import { deleteRow, insertRow, updateRow } from '../database/storage.ts'
import type { ChangesOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import type { CursorOptions } from './cursor-keys.ts'
import { type Listing, listing, type ListingOf } from './listing.ts'

/** Reads and writes for which no policy and no scope is asked: seeds, tasks, tests, sign-up. */
export interface SystemAccess<R extends Resource> extends Listing<R> {
  find(id: number): Promise<RowOf<R> | null>
  insert(values: NewRowOf<R>): Promise<RowOf<R>>
  /** Null when there is no such row. */
  update(id: number, changes: ChangesOf<R>): Promise<RowOf<R> | null>
  /** Whether there was such a row. */
  delete(id: number): Promise<boolean>
}

export function systemAccess<R extends Resource, Options extends CursorOptions<R>>(
  resource: R,
  options: Options,
): SystemAccess<R> & ListingOf<R, Options> {
  return {
    ...listing(resource, (is) => is.lit(true), options),
    find: (id) => loadRow(resource, id),
    insert: (values) => insertRow(resource, values),
    update: (id, changes) => updateRow(resource, { id }, changes),
    delete: (id) => deleteRow(resource, { id }),
  }
}
