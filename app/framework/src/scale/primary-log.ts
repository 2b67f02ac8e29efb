import type { LogPosition } from './log-position.ts'

interface Sample {
  readonly time: number
  readonly position: LogPosition
  readonly timeline: string
}

/** The positions that the primary's log had lately, from which the lag of a replica follows. */
export class PrimaryLog {
  readonly #samples: Sample[] = []
  readonly #span: number

  /** Keeps the positions of the last `span` milliseconds: a larger lag is `Infinity`. */
  constructor(span: number) {
    this.#span = span
  }

  /** Adds a position. Forgets the others if they are those of another server, which was the primary before. */
  add(sample: Sample): void {
    const last = this.#samples.at(-1)
    if (last !== undefined && (last.timeline !== sample.timeline || last.position > sample.position))
      this.#samples.length = 0
    this.#samples.push(sample)
    while ((this.#samples[1]?.time ?? Infinity) < sample.time - this.#span) this.#samples.shift()
  }

  /**
   * Returns how old the rows of a replica may be that has replayed the log up to `replayed`, in milliseconds: the time
   * since the primary was there. `Infinity` if that was before the first sample.
   */
  lagOf(replayed: LogPosition, now: number): number {
    const reached = this.#samples.findLast(({ position }) => position <= replayed)
    return reached === undefined ? Infinity : now - reached.time
  }
}
