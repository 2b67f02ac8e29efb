import type { Resource } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { Walk } from './batch-walk.ts'
import { Batches } from './batches.ts'
import { Each } from './each.ts'
import type { BatchOptions } from './batch-options.ts'

export interface Batching<R extends Resource> {
  /**
   * Returns a walk through all rows in batches of `size`, in ascending order of the id. It uses no offsets: updated and
   * deleted rows don't shift later batches, and the last batch costs as much as the first. Throws a `RangeError` unless
   * `size` is a whole number from 1.
   */
  findInBatches(size: number, options?: BatchOptions<R>): Batches<R>
  /** Returns a walk that reads batches as `findInBatches` does, but returns one row at a time. */
  findEach(size: number, options?: BatchOptions<R>): Each<R>
}

export function batching<R extends Resource>(source: ListSource<R>): Batching<R> {
  const batchesOf = (walk: Walk<R>) =>
    new Batches(
      walk,
      (query) => query.select(source.columns).execute(),
      (rows) => source.toManyRows(rows),
    )
  return {
    findInBatches: (size, options = {}) => batchesOf(new Walk(source, size, options)),
    findEach(size, options = {}) {
      const walk = new Walk(source, size, options)
      return new Each(walk, batchesOf(walk))
    },
  }
}
