import { messageOf } from '../leases/task-errors.ts'

/** The error of a promise that a run rejected and didn't await. */
export class StrayError {
  readonly #warn: (line: string) => void
  readonly #rejection = Promise.withResolvers<never>()
  #hasFailed = false
  #isOver = false

  constructor(warn: (line: string) => void) {
    this.#warn = warn
    // The run may have ended for another reason.
    this.#rejection.promise.catch(() => {})
  }

  /** Rejects with the error. */
  get rejection(): Promise<never> {
    return this.#rejection.promise
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Fails the run. After its end, only logs the error. */
  readonly fail = (error: unknown): void => {
    if (this.#isOver) this.#warn(`A promise that the task did not await was rejected: ${messageOf(error)}`)
    this.#hasFailed = true
    this.#rejection.reject(error)
  }

  end(): void {
    this.#isOver = true
  }
}
