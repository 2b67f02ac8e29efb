/** A request that waits for a place. */
export interface Waiter {
  readonly since: number
  readonly hasLeft: () => boolean
  /** Handles the request, which has a place now. */
  readonly admit: () => void
  readonly refuse: () => void
}

/** The most requests that wait after a quiet time: a burst is served, only later. */
const BURST = 200
/** In an overload, one request waits for each four places: a longer queue adds waiting, but no answers. */
const SHARE_WAITING = 1 / 4
/** The share of recent sweeps that found a queue, above which a queue is an overload and not a burst. */
const OVERLOAD = 0.7
/** The weight of one sweep in this share: with a sweep every 10 ms, a lasting queue is an overload after 120 ms. */
const WEIGHT = 0.1
/** The most milliseconds that a request waits. */
const DEADLINE = 1_000

/** Places for requests, and a short queue in front of them: first in, first out. */
export class Lane {
  readonly #places: () => number
  readonly #queue: number | undefined
  #taken = 0
  #waiters: Waiter[] = []
  #queuedShare = 0

  /**
   * `places` returns how many places exist. They may become fewer than are taken. With `queue`, so many requests may
   * always wait, also in an overload.
   */
  constructor(places: () => number, queue?: number) {
    this.#places = places
    this.#queue = queue
  }

  get isFull(): boolean {
    return this.#taken >= this.#places()
  }

  get isIdle(): boolean {
    return this.#taken === 0 && this.#waiters.length === 0 && this.#queuedShare < WEIGHT
  }

  /** Takes a place. Returns false if none is free, or if others wait for it. */
  take(): boolean {
    if (this.isFull || this.#waiters.length > 0) return false
    this.#taken++
    return true
  }

  /** Takes a place even if none is free: the request is already being handled. */
  takeAnyway(): void {
    this.#taken++
  }

  /** Queues a request. Returns false if the queue is full. */
  wait(waiter: Waiter): boolean {
    if (this.#waiters.length >= this.#room) return false
    this.#waiters.push(waiter)
    return true
  }

  /** Frees a place, for the request that waits longest. */
  leave(): void {
    this.#taken--
    this.#admit()
  }

  /**
   * Refuses the requests that wait too long or that are too many, forgets those whose client left, and admits others.
   * Call it regularly until the lane is idle.
   */
  sweep(now: number): void {
    this.#queuedShare += (Number(this.#waiters.length > 0) - this.#queuedShare) * WEIGHT
    if (this.#waiters.length === 0) return
    const present = this.#waiters.filter((waiter) => !waiter.hasLeft())
    const surplus = present.length - this.#room
    const isLate = (waiter: Waiter, index: number) => index < surplus || now - waiter.since > DEADLINE
    this.#waiters = present.filter((waiter, index) => !isLate(waiter, index))
    for (const waiter of present.filter(isLate)) waiter.refuse()
    this.#admit()
  }

  #admit(): void {
    while (!this.isFull) {
      const waiter = this.#waiters.shift()
      if (waiter === undefined) return
      if (waiter.hasLeft()) continue
      this.#taken++
      waiter.admit()
    }
  }

  get #room(): number {
    if (this.#queue !== undefined) return this.#queue
    return this.#queuedShare > OVERLOAD ? Math.ceil(this.#places() * SHARE_WAITING) : BURST
  }
}
