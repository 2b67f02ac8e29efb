import type { Narrowing } from '../authorization/scope.ts'
import { loadRow } from '../database/rows.ts'
import { deleteRow, insertRow, updateRow } from '../database/storage.ts'
import type { ChangesOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import type { BatchOptions } from './batches/options.ts'
import { RangeBatches } from './batches/range-batches.ts'
import { listSource } from './list-source.ts'
import { type Listing, listing } from './listing.ts'

/** Reads and writes for which no policy and no scope is asked: seeds, tasks, tests, sign-up. */
export interface SystemAccess<R extends Resource> extends Listing<R> {
  find(id: number): Promise<RowOf<R> | null>
  insert(values: NewRowOf<R>): Promise<RowOf<R>>
  /** Null when there is no such row. */
  update(id: number, changes: ChangesOf<R>): Promise<RowOf<R> | null>
  /** Whether there was such a row. */
  delete(id: number): Promise<boolean>
  /** Stretches of the key range of about this many rows, to be written without being read: for backfills. */
  inBatches(size: number, options?: BatchOptions<R>): RangeBatches<R>
}

export function systemAccess<R extends Resource>(resource: R): SystemAccess<R> {
  return {
    ...listing(resource, everything),
    find: (id) => loadRow(resource, id),
    insert: (values) => insertRow(resource, values),
    update: (id, changes) => updateRow(resource, { id }, changes),
    delete: (id) => deleteRow(resource, { id }),
    inBatches: (size, options = {}) => new RangeBatches(listSource(resource, everything), size, options),
  }
}

const everything: Narrowing = (is) => is.lit(true)
