import { LeaseLost } from './task-errors.ts'

interface Beating {
  task: string
  /** The duration of the lease in seconds. Null for a dry run, which has no lease. */
  lasts: number | null
  /** Seconds between two heartbeats. */
  every: number
  /** Renews the lease and stores the progress. Returns false if the run no longer holds the lease. */
  beat: () => Promise<boolean>
}

/**
 * Renews the lease of a run periodically. Without a renewal, it treats the lease as lost after 80 % of its duration, so
 * that the run stops before another process can take over the task.
 */
export class Heartbeat {
  readonly #options: Beating
  readonly #lost = new AbortController()
  /** Aborts with `LeaseLost` when the lease is lost, and with another error after `stop`. */
  readonly signal = this.#lost.signal
  readonly #timer: NodeJS.Timeout
  /** The time at which the last successful heartbeat was sent. */
  #renewedAt = now()
  #beating: Promise<void> | null = null

  constructor(options: Beating) {
    this.#options = options
    this.#timer = setInterval(() => this.#tick(), (options.every * 1_000) / 2)
  }

  /** Returns whether `signal` has aborted. Checks the time itself, since no timer fires while the process is frozen. */
  isLost(): boolean {
    const { lasts } = this.#options
    if (lasts !== null && since(this.#renewedAt) > lasts * 0.8) this.#lose()
    return this.signal.aborted
  }

  /** Throws `LeaseLost` if the lease is lost, and another error after `stop`. */
  check(): void {
    if (this.isLost()) throw this.signal.reason
  }

  /** Aborts `signal` and throws `LeaseLost`. */
  lose(): never {
    this.#lose()
    throw this.signal.reason
  }

  /** Stops the heartbeat. `check` throws from then on, which rejects statements that the run didn't await. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    if (!this.signal.aborted) this.#lost.abort(new Error('This run has ended. Await every promise in `run`.'))
    await this.#beating
  }

  #tick(): void {
    if (this.isLost()) return clearInterval(this.#timer)
    if (since(this.#renewedAt) >= this.#options.every) this.#beating ??= this.#beat()
  }

  async #beat(): Promise<void> {
    const sentAt = now()
    try {
      if (await this.#options.beat()) this.#renewedAt = sentAt
      else this.#lose()
    } catch {
      // The next tick tries again, until the lease is lost.
    } finally {
      this.#beating = null
    }
  }

  #lose(): void {
    if (!this.signal.aborted) this.#lost.abort(new LeaseLost(this.#options.task))
  }
}

// `performance.now()` may stop while the machine sleeps, and `Date.now()` changes when the clock is set. The longer of
// the two durations counts.
const now = () => ({ wall: Date.now(), ticks: performance.now() })
const since = ({ wall, ticks }: ReturnType<typeof now>) =>
  Math.max(Date.now() - wall, performance.now() - ticks) / 1_000
