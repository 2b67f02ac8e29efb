import type { Resource } from '../../resource/resource.ts'
import type { ListOptions, ListSource } from '../list-source.ts'
import { Batches } from './batches.ts'
import { Each } from './each.ts'
import type { BatchOptions, KeyRangeOptions, Partition } from './batch-options.ts'
import { partitions } from './partitions.ts'

export interface Batching<R extends Resource> {
  /**
   * Walks through every row in batches of `size`, by rising id and without offsets: rows that change or disappear
   * meanwhile shift no batch, and the last batch costs as much as the first. Throws a `RangeError` for a size below
   * 1.
   */
  findInBatches(size: number, options?: BatchOptions<R>): Batches<R>
  /** The same, one row at a time. */
  findEach(size: number, options?: BatchOptions<R>): Each<R>
  /**
   * Splits the list into `count` key ranges with about equally many rows, for as many workers. Each is plain data:
   * the options of a walk. Returns fewer ranges if there are fewer rows. The last range has no upper end, so that it
   * includes rows that are added later.
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
