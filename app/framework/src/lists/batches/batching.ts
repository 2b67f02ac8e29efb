import type { Resource } from '../../resource/resource.ts'
import type { ListOptions, ListSource } from '../list-source.ts'
import { Batches } from './batches.ts'
import { Each } from './each.ts'
import type { BatchOptions, KeyRangeOptions, Partition } from './batch-options.ts'
import { partitions } from './partitions.ts'

export interface Batching<R extends Resource> {
  /**
   * Goes through every row, this many at a time, by rising id and never by offset: rows that are changed or deleted on
   * the way shift nothing, and the last page costs what the first does. Throws a `RangeError` for a size below 1.
   */
  findInBatches(size: number, options?: BatchOptions<R>): Batches<R>
  /** The same, a row at a time. */
  findEach(size: number, options?: BatchOptions<R>): Each<R>
  /**
   * Key ranges without a gap or an overlap, about equal in rows, for as many workers: plain data that becomes the
   * options of a walk. Fewer where there are fewer rows. Rows that are added later belong to the last.
   */
  partitions(count: number, options?: ListOptions<R> & KeyRangeOptions<R>): Promise<Partition<R>[]>
}

export function batching<R extends Resource>(source: ListSource<R>): Batching<R> {
  return {
    findInBatches: (size, options = {}) => new Batches(source, size, options),
    findEach: (size, options = {}) => new Each(source, size, options),
    partitions: (count, options = {}) => partitions(source, count, options),
  }
}
