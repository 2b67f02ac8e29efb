/** The count of a store: the requests of a key in its window, and when the window ends. */
export interface Counted {
  readonly consumedPoints: number
  readonly msBeforeNext: number
}

/** The position of a request in the window of its key, from 1. */
interface Position {
  readonly position: number
  readonly msBeforeNext: number
  /** Whether it is the first one of a statement. */
  readonly isFirst: boolean
}

/** Units of a key that this process has counted ahead, for its next requests in this window. */
interface Reserve {
  next: number
  readonly last: number
  /** By `performance.now()`. */
  readonly ends: number
}

/** The most keys whose windows are known: about 2 MB. */
const MOST_KEYS = 10_000

/** Counts requests of keys with few statements. `consume` adds a number of requests to a key. */
export class Counter {
  readonly #consume: (key: string, requests: number) => Promise<Counted>
  /** Returns how many further units to count ahead after so many requests of a window. */
  readonly #ahead: (consumed: number) => number
  readonly #groups = new Map<string, PromiseWithResolvers<Position>[]>()
  readonly #reserves = new Map<string, Reserve>()

  constructor(
    consume: (key: string, requests: number) => Promise<Counted>,
    ahead = (_consumed: number) => 0,
  ) {
    this.#consume = consume
    this.#ahead = ahead
  }

  /**
   * Counts a request, and returns its position. Requests of a key at the same moment are counted with one statement:
   * otherwise they would wait for each other's lock of its row. Costs none if a unit of the key was counted ahead.
   */
  count(key: string): Position | Promise<Position> {
    const reserve = this.#reserveOf(key)
    if (reserve !== undefined && reserve.next <= reserve.last)
      return { position: reserve.next++, msBeforeNext: reserve.ends - performance.now(), isFirst: false }
    const group = this.#groups.get(key) ?? []
    const request = Promise.withResolvers<Position>()
    if (group.push(request) === 1) setImmediate(() => void this.#send(key))
    this.#groups.set(key, group)
    return request.promise
  }

  /** Drops all units that were counted ahead. Call it after a change of the table. */
  forget(): void {
    this.#reserves.clear()
  }

  #reserveOf(key: string): Reserve | undefined {
    const reserve = this.#reserves.get(key)
    return reserve !== undefined && reserve.ends > performance.now() ? reserve : undefined
  }

  async #send(key: string): Promise<void> {
    const group = this.#groups.get(key) ?? []
    this.#groups.delete(key)
    const reserve = this.#reserveOf(key)
    // Nothing is counted ahead for the first request of a window, since most users write once, nor by two statements at once.
    this.#reserves.delete(key)
    const units = group.length + (reserve === undefined ? 0 : this.#ahead(reserve.last))
    try {
      const { consumedPoints, msBeforeNext } = await this.#consume(key, units)
      const first = consumedPoints - units + 1
      group.forEach(({ resolve }, index) =>
        resolve({ position: first + index, msBeforeNext, isFirst: index === 0 }),
      )
      // A statement at the same time may have counted ahead: its units come first.
      const open = this.#reserveOf(key)
      if (open !== undefined && open.next <= open.last) return
      const ends = performance.now() + msBeforeNext
      this.#reserves.set(key, { next: first + group.length, last: consumedPoints, ends })
      // A Map lists its keys in the order of their insertion.
      if (this.#reserves.size > MOST_KEYS) this.#reserves.delete(this.#reserves.keys().next().value ?? key)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}
