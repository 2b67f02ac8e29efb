import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ListOptions } from '../list-source.ts'
import type { Key } from './key.ts'

/** Columns that have a value in every row. */
export type KeyColumn<R extends Resource, Row = RowOf<R>> = {
  [Column in keyof Row & string]: null extends Row[Column] ? never : Column
}[keyof Row & string]

export interface KeyRangeOptions<R extends Resource> {
  /**
   * A unique key to go by, ascending: a column, or several. It has to contain every column of a unique index, and wants
   * an index in this order. Without it, the primary key.
   */
  order?: KeyColumn<R> | readonly KeyColumn<R>[]
  /** The first key, itself included. */
  start?: Key
  /** The key that everything has to come after. */
  after?: Key
  /** The last key, itself included. */
  until?: Key
}

/** A part of the key range, as plain data: pass it to a walk, in another process too. */
export type Partition<R extends Resource> = KeyRangeOptions<R>

export interface BatchOptions<R extends Resource> extends ListOptions<R>, KeyRangeOptions<R> {
  /**
   * Ends at the largest key there is when the walk begins, so that one which inserts rows, or moves their keys up, ends.
   * A row with a lower key whose transaction commits later is missed by every walk in the order of its key, unless it
   * waits: `'settled'` begins when every transaction is over that was writing to the table when the end was fixed. That
   * holds for keys that the database hands out in rising order as rows are inserted, like ids.
   */
  snapshot?: boolean | 'settled'
  /** Stops before the next batch, by throwing its reason. The position stays where it is. */
  signal?: AbortSignal
  /** Goes on after the row at which `walk.position` was this; null begins. */
  position?: string | null
}

/** Throws a `RangeError` for anything but a whole number from 1. */
export function batchSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 1) return size
  throw new RangeError(`A batch has a whole number of rows, at least 1, and not ${size}.`)
}
