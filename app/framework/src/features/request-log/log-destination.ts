import { write, writeSync } from 'node:fs'

interface LogDestinationOptions {
  /** Defaults to stdout. */
  readonly fd?: number
  /** The bytes of lines that may wait; defaults to 8 MB. */
  readonly most?: number
  /** Called with the number of dropped lines, once lines can be written again. */
  readonly onDropped: (count: number) => void
}

/** Lines wait for others up to so many bytes, and this long, in milliseconds. */
const GROUP = 16_000
const LONGEST_WAIT = 250
const MOST = 8 * 1024 * 1024
/** How often the end of a process tries again to write to a slow reader, with pauses in milliseconds. */
const ATTEMPTS = 100
const PAUSE = 10

/**
 * A destination for the lines of pino, which writes them in groups, and at the end of the process. If they can't be
 * written, because the disk is full or the reader is stuck, they wait and are tried again. Further lines are dropped and
 * counted when `most` bytes wait. Never throws, so that a full disk doesn't end the process.
 */
export class LogDestination {
  readonly #fd: number
  readonly #most: number
  readonly #onDropped: (count: number) => void
  /** The first one is being written if `#isWriting`. */
  #groups: Buffer[] = []
  #bytes = 0
  #dropped = 0
  #isWriting = false
  #hasFailed = false

  constructor({ fd = 1, most = MOST, onDropped }: LogDestinationOptions) {
    this.#fd = fd
    this.#most = most
    this.#onDropped = onDropped
    setInterval(() => this.#writeGroup(), LONGEST_WAIT).unref()
    process.once('exit', () => this.flushSync())
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#bytes + bytes.length > this.#most) {
      this.#dropped++
      return
    }
    this.#groups.push(bytes)
    this.#bytes += bytes.length
    if (this.#bytes > GROUP) this.flush()
  }

  /** Begins to write the lines that wait, unless the last attempt failed. */
  flush(): void {
    if (!this.#hasFailed) this.#writeGroup()
  }

  /** Writes the lines that wait, before the process ends. pino calls it for fatal errors. */
  flushSync(): void {
    const inFlight = this.#isWriting ? this.#groups.slice(0, 1) : []
    let rest = Buffer.concat(this.#groups.slice(inFlight.length))
    for (let attempt = 0; rest.length > 0 && attempt < ATTEMPTS; attempt++) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
      }
    }
    this.#keep([...inFlight, rest])
  }

  #writeGroup(): void {
    if (this.#isWriting || this.#bytes === 0) return
    const group = Buffer.concat(this.#groups)
    this.#groups = [group]
    this.#isWriting = true
    write(this.#fd, group, (error, written) => {
      this.#isWriting = false
      this.#hasFailed = error !== null
      if (error !== null) return
      this.#keep([group.subarray(written), ...this.#groups.slice(1)])
      this.#reportDropped()
      if (this.#bytes > GROUP) this.#writeGroup()
    })
  }

  #keep(groups: readonly Buffer[]): void {
    this.#groups = groups.filter(({ length }) => length > 0)
    this.#bytes = this.#groups.reduce((sum, { length }) => sum + length, 0)
  }

  #reportDropped(): void {
    const count = this.#dropped
    this.#dropped = 0
    if (count > 0) this.#onDropped(count)
  }
}
