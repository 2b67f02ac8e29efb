import type { Resource } from '../../resource/resource.ts'
import type { ListOptions } from '../list-source.ts'

/** Options of a walk: `findInBatches`, `findEach` and `inBatches`. */
export interface BatchOptions<R extends Resource> extends ListOptions<R> {
  /**
   * With true, the walk ends at the largest id of its beginning, so that it ends although it inserts rows. Rows with a
   * lower id whose transaction commits later are missed.
   */
  snapshot?: boolean
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
