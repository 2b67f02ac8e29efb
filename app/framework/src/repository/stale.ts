import { PreconditionFailed } from '../http/errors.ts'

/**
 * The record changed since the caller read it, and the caller may still write it. Thrown by `update` and `delete` if
 * the caller stated a version. `storeForm` turns it into a form with both versions; elsewhere the response is a 412.
 */
export class Stale extends PreconditionFailed {
  /** The row as it is now. */
  readonly current: object

  constructor(current: object) {
    super()
    this.current = current
  }
}
