/** A request, a search or a statement that waits for a place. */
export interface Waiter {
  /** Called when it has a place. */
  readonly admit: () => void
  readonly refuse: () => void
  readonly hasLeft?: () => boolean
}

interface Bounds {
  /** Returns how many places exist. They may become fewer than are taken. */
  readonly places: () => number
  /** Returns how many may wait for a place. */
  readonly room: () => number
  /** Milliseconds after which the oldest waiter is refused. */
  readonly patience: number
}

/** Milliseconds between two looks at the queue. */
const TICK = 10
/** The most refusals per tick. Clients that retry at once would otherwise keep the process busy with refusals. */
const REFUSALS = 10

/** Places, and a queue in front of them: first in, first out. */
export class Limiter {
  readonly #bounds: Bounds
  #inUse = 0
  #queue: (Waiter & { readonly since: number })[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get inUse(): number {
    return this.#inUse
  }

  get isFull(): boolean {
    return this.#inUse >= this.#bounds.places()
  }

  get hasQueue(): boolean {
    return this.#queue.length > 0
  }

  /** Takes a place. Returns false if none is free, or if others wait for it. */
  tryAcquire(): boolean {
    if (this.hasQueue || this.isFull) return false
    this.#inUse++
    return true
  }

  /** Takes a place even if none is free: the request is already being handled. */
  acquireAnyway(): void {
    this.#inUse++
  }

  /** Frees a place, for the oldest waiter. */
  release(): void {
    this.#inUse--
    this.admit()
  }

  /** Queues a waiter. Returns false if the queue is full. */
  wait(waiter: Waiter): boolean {
    const room = this.#bounds.room()
    if (this.#queue.length >= room) this.#queue = this.#queue.filter(({ hasLeft }) => hasLeft?.() !== true)
    if (this.#queue.length >= room) return false
    this.#queue.push({ ...waiter, since: performance.now() })
    this.#timer ??= setInterval(() => this.#sweep(), TICK).unref()
    return true
  }

  /** Waits for a place. Rejects with an error of `refusal`. */
  acquire(refusal: () => Error): Promise<void> {
    return new Promise((admit, reject) => {
      const refuse = () => reject(refusal())
      if (!this.wait({ admit, refuse })) refuse()
    })
  }

  /** Admits waiters to free places. Call it if places were added. */
  admit(): void {
    while (this.hasQueue && !this.isFull) {
      const waiter = this.#queue.shift()
      if (waiter === undefined || waiter.hasLeft?.() === true) continue
      this.#inUse++
      waiter.admit()
    }
  }

  #sweep(): void {
    this.admit()
    const latest = performance.now() - this.#bounds.patience
    for (let count = 0; count < REFUSALS && (this.#queue[0]?.since ?? Infinity) <= latest; count++) {
      const waiter = this.#queue.shift()
      if (waiter?.hasLeft?.() !== true) waiter?.refuse()
    }
    if (this.hasQueue) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
