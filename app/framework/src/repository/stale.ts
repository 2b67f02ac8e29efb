import { PreconditionFailed } from '../http/errors.ts'

/** The record changed since the caller read it, and they may still write it as it is now. */
export class Stale extends PreconditionFailed {
  /** The row as it is now. */
  readonly current: object

  constructor(current: object) {
    super()
    this.current = current
  }
}
