import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** The bounds. The lower one is enough to keep a process busy that waits for Postgres. */
const MIN = 12
const MAX = 100
/** The share of time in which the event loop is busy. Above it, more requests at once would only share its time. */
const BUSY = 0.95
const IDLE = 0.85
const STEP = 1.25
/** Milliseconds between two steps. */
const WINDOW = 250

/**
 * How many requests a process handles at once, from 12 to 100. It grows while requests wait although the event loop idles,
 * because those with a place wait for something else, and shrinks while the event loop is busy.
 */
export class Places {
  readonly #max: number
  readonly #measure: (before?: EventLoopUtilization) => EventLoopUtilization
  #count = MIN
  #since = -Infinity
  #before: EventLoopUtilization | undefined

  constructor(
    max = MAX,
    measure = (before?: EventLoopUtilization) => performance.eventLoopUtilization(before),
  ) {
    this.#max = max
    this.#measure = measure
  }

  get count(): number {
    return Math.floor(this.#count)
  }

  /** Ends the window if it is over. Call it often while requests are handled. */
  update(now: number, isWaitedFor: boolean): void {
    if (now - this.#since < WINDOW) return
    const { utilization } = this.#measure(this.#before)
    if (utilization > BUSY) this.#count = Math.max(this.#count / STEP, MIN)
    else if (utilization < IDLE && isWaitedFor) this.#count = Math.min(this.#count * STEP, this.#max)
    this.#before = this.#measure()
    this.#since = now
  }
}
