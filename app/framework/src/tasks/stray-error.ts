import { messageOf } from '../leases/task-errors.ts'

/** The error of a promise that a run rejected and didn't await. */
export class StrayError {
  readonly #warn: (line: string) => void
  readonly #rejection = Promise.withResolvers<never>()
  /** Rejects with the error. */
  readonly rejection = this.#rejection.promise
  hasFailed = false
  #isOver = false

  constructor(warn: (line: string) => void) {
    this.#warn = warn
    // The run may have ended for another reason.
    this.rejection.catch(() => {})
  }

  /** Fails the run. After its end, only logs the error. */
  readonly fail = (error: unknown): void => {
    if (this.#isOver) this.#warn(`A promise that the task did not await was rejected: ${messageOf(error)}`)
    this.hasFailed = true
    this.#rejection.reject(error)
  }

  end(): void {
    this.#isOver = true
  }
}
