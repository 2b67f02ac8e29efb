import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ListOptions } from '../list-source.ts'
import type { Key } from './walk-key.ts'

/** Columns that are not nullable. */
type KeyColumn<R extends Resource, Row = RowOf<R>> = {
  [Column in keyof Row & string]: null extends Row[Column] ? never : Column
}[keyof Row & string]

export interface KeyRangeOptions<R extends Resource> {
  /**
   * The columns of the walk's order, ascending; defaults to the primary key. They must contain all columns of a unique
   * index, and should have an index in this order.
   */
  order?: KeyColumn<R> | readonly KeyColumn<R>[]
  /** The first key, inclusive. */
  start?: Key
  /** The walk begins behind this key. */
  after?: Key
  /** The last key, inclusive. */
  until?: Key
}

/**
 * A part of the key range, as `partitions` returns it. It is plain JSON: pass it to another process as the options
 * of a walk.
 */
export type Partition<R extends Resource> = KeyRangeOptions<R>

/** Options of a walk: `findInBatches`, `findEach` and `inBatches`. */
export interface BatchOptions<R extends Resource> extends ListOptions<R>, KeyRangeOptions<R> {
  /**
   * With true, the walk ends at the largest key of its beginning, so that it ends although it inserts rows. Rows with a
   * lower key whose transaction commits later are missed. `'settled'` first waits for the transactions that are writing
   * to the table, and so misses none if keys rise as rows are inserted, as ids do.
   */
  snapshot?: boolean | 'settled'
  /** If aborted, the next batch throws its reason. `position` doesn't change. */
  signal?: AbortSignal
  /** Resumes behind the row at which `walk.position` had this value; null begins at the start. */
  position?: string | null
}

/** Throws a `RangeError` for anything but a whole number from 1. */
export function batchSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 1) return size
  throw new RangeError(`The size of a batch must be a whole number from 1; got ${size}.`)
}
