/** The bounds of the limit. The lower one is enough to keep a process busy that waits for Postgres. */
const MIN = 12
const MAX = 100
/** A window ends after this many milliseconds and samples. */
const WINDOW = 250
const SAMPLES = 10
/** How much slower a request may become before the limit shrinks. */
const TOLERANCE = 1.25
/** How much of a slower latency each window accepts as expected while the limit is below `FEW`. */
const DRIFT = 0.1
const FEW = 14
/** The event-loop lag in milliseconds above which the limit shrinks, whatever the latency. */
const MAX_LAG = 50
/** A window may last long: only its last lags count. */
const RECENT_LAGS = 25

/**
 * The most requests that a process handles at once, from 12 to 100. Compares the median latency of each window with an
 * expected latency: the limit grows while requests need it and remain fast, and shrinks when they, or the event loop,
 * become slow. It is a gradient limit: `next = limit × (expected / latency) + √limit`, smoothed.
 */
export class ConcurrencyLimit {
  readonly #max: number
  #limit = MIN
  /** In milliseconds, without the tolerance. Falls to each faster window at once. */
  #expected: number | undefined
  #windowStart: number
  #latencies: number[] = []
  #lags: number[] = []
  #wasFull = false

  constructor(now: number, max = MAX) {
    this.#windowStart = now
    this.#max = max
  }

  get current(): number {
    return Math.floor(this.#limit)
  }

  /** Records the milliseconds between the admission of a request and the end of its response. */
  addLatency(milliseconds: number): void {
    this.#latencies.push(milliseconds)
  }

  /** Records how many milliseconds late a timer was. */
  addLag(milliseconds: number): void {
    if (this.#lags.push(milliseconds) > RECENT_LAGS) this.#lags.shift()
  }

  /** Records that all places were taken. The limit grows only if requests need it. */
  noteFull(): void {
    this.#wasFull = true
  }

  /** Ends the window if it is complete. */
  update(now: number): void {
    if (now - this.#windowStart < WINDOW || this.#latencies.length < SAMPLES) return
    const latency = Math.max(median(this.#latencies), 1)
    this.#expected = this.#expectedAfter(latency)
    const slowness = Math.max(latency / (TOLERANCE * this.#expected), median(this.#lags) / MAX_LAG)
    if (this.#wasFull || slowness > 1) this.#follow(slowness)
    this.#windowStart = now
    this.#latencies = []
    this.#lags = []
    this.#wasFull = false
  }

  #expectedAfter(latency: number): number {
    const before = this.#expected ?? latency
    if (latency < before) return latency
    // So few requests hardly wait for each other: their work takes longer than before.
    return this.#limit < FEW ? before + (latency - before) * DRIFT : before
  }

  #follow(slowness: number): void {
    const gradient = Math.min(Math.max(1 / slowness, 0.5), 1)
    const next = this.#limit * gradient + Math.sqrt(this.#limit)
    this.#limit = Math.min(Math.max((this.#limit + next) / 2, MIN), this.#max)
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? 0
}
