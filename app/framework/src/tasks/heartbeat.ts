import { LeaseLost } from './errors.ts'

interface Beating {
  task: string
  /** How long a lease lasts, in seconds; null where there is none to lose. */
  lasts: number | null
  /** Seconds between two beats. */
  every: number
  /** Tells the database that this run lives. False when somebody else has the task. */
  beat: () => Promise<boolean>
}

/** Renews a lease now and then, and knows by itself when it may have run out: before anybody else can have it. */
export class Heartbeat {
  readonly #options: Beating
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  /** When the last beat that arrived was sent. */
  #sent = now()
  #beating: Promise<void> | null = null

  constructor(options: Beating) {
    this.#options = options
    this.#timer = setInterval(() => this.#tick(), (options.every * 1_000) / 2)
  }

  /** Aborted with `LeaseLost` when the lease can't be counted on any more. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** Whether the lease is lost; when its time has run out, `signal` tells it from now on, though no timer fired. */
  isLost(): boolean {
    const { lasts } = this.#options
    if (lasts !== null && since(this.#sent) > lasts * 0.8) this.#lose()
    return this.#lost.signal.aborted
  }

  /** Throws `LeaseLost` when it is. */
  check(): void {
    if (this.isLost()) throw this.#lost.signal.reason
  }

  lose(): never {
    this.#lose()
    throw this.#lost.signal.reason
  }

  /** From here on `check` throws: what the run forgot to await comes too late. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    if (!this.#lost.signal.aborted) this.#lost.abort(new Error('This run is over. Await all that it does.'))
    await this.#beating
  }

  #tick(): void {
    if (this.isLost()) return clearInterval(this.#timer)
    if (since(this.#sent) >= this.#options.every) this.#beating ??= this.#beat()
  }

  async #beat(): Promise<void> {
    const sent = now()
    try {
      if (await this.#options.beat()) this.#sent = sent
      else this.#lose()
    } catch {
      // A database that doesn't answer is asked again, until it is too late.
    } finally {
      this.#beating = null
    }
  }

  #lose(): void {
    if (!this.#lost.signal.aborted) this.#lost.abort(new LeaseLost(this.#options.task))
  }
}

// One clock stands still while the machine sleeps, the other may be set: whichever says that more time passed is believed.
const now = () => ({ wall: Date.now(), ticks: performance.now() })
const since = ({ wall, ticks }: ReturnType<typeof now>) =>
  Math.max(Date.now() - wall, performance.now() - ticks) / 1_000
