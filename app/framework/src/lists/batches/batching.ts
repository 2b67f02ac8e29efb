import type { Resource } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { Batches } from './batches.ts'
import { Each } from './each.ts'
import type { BatchOptions } from './batch-options.ts'

export interface Batching<R extends Resource> {
  /**
   * Walks through every row in batches of `size`, by rising id and without offsets: rows that change or disappear
   * meanwhile shift no batch, and the last batch costs as much as the first. Throws a `RangeError` for a size below
   * 1.
   */
  findInBatches(size: number, options?: BatchOptions<R>): Batches<R>
  /** The same, one row at a time. */
  findEach(size: number, options?: BatchOptions<R>): Each<R>
}

export function batching<R extends Resource>(source: ListSource<R>): Batching<R> {
  return {
    findInBatches: (size, options = {}) => new Batches(source, size, options),
    findEach: (size, options = {}) => new Each(source, size, options),
  }
}
