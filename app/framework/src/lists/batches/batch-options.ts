import type { Resource } from '../../resource/resource.ts'
import type { ListOptions } from '../list-source.ts'

/** Options of a walk: `findInBatches`, `findEach` and `inBatches`. */
export interface BatchOptions<R extends Resource> extends ListOptions<R> {
  /**
   * If true, the walk ends at the largest id that exists when it begins. It therefore ends even if the loop inserts
   * rows. It misses a row with a smaller id if the row is committed after the walk has passed it.
   */
  snapshot?: boolean
  /** If it is aborted, reading the next batch rejects with its reason, and the `position` doesn't change. */
  signal?: AbortSignal
  /** A stored `position` of an earlier walk, after which this walk resumes. Null begins at the start. */
  position?: string | null
}

/** Returns the size. Throws a `RangeError` unless it is a whole number from 1. */
export function batchSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 1) return size
  throw new RangeError(`The size of a batch must be a whole number from 1; got ${size}.`)
}
