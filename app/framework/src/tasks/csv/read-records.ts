import { createReadStream } from 'node:fs'
import { firstLine, scanRecord, type Scanned } from './scan-record.ts'

export interface Place {
  readonly byte: number
  readonly line: number
}

/** A record in the bytes of the file, without the line end. */
export interface RawRecord {
  readonly bytes: Buffer
  /** The number of the record's first line. */
  readonly line: number
  /** The position of the next record. */
  readonly next: Place
  /** The reason why the record is malformed, or null. */
  readonly problem: string | null
}

/** The most bytes of a record. Without a limit, a missing quote could fill the memory. */
const LONGEST = 256 * 1_024
const LINE_FEED = 0x0a
const RETURN = 0x0d

/** Yields the records in the first `size` bytes of a file, starting at `from`. Uses about a megabyte of memory. */
export async function* readRecords(path: string, from: Place, size: number): AsyncGenerator<RawRecord> {
  if (from.byte >= size) return
  const reader = new RecordReader(from)
  const stream = createReadStream(path, { start: from.byte, end: size - 1, highWaterMark: LONGEST / 4 })
  for await (const chunk of stream) yield* reader.read(chunk as Buffer)
  yield* reader.readLast()
}

class RecordReader {
  /** The bytes that are not read yet. They begin at `#place`. */
  #bytes: Buffer = Buffer.alloc(0)
  #place: Place
  /** Set while the rest of a line that is too long is skipped. */
  #isSkipping = false

  constructor(from: Place) {
    this.#place = from
  }

  *read(chunk: Buffer): Generator<RawRecord> {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    yield* this.#take(false)
    if (!this.#isSkipping && this.#bytes.length <= LONGEST) return
    this.#isSkipping = true
    this.#place = { ...this.#place, byte: this.#place.byte + this.#bytes.length }
    this.#bytes = Buffer.alloc(0)
  }

  *readLast(): Generator<RawRecord> {
    yield* this.#take(true)
  }

  *#take(isLast: boolean): Generator<RawRecord> {
    let start = 0
    let scanned = this.#find(start, isLast)
    while (scanned !== null) {
      yield this.#record(start, scanned)
      start = Math.min(scanned.end + 1, this.#bytes.length)
      scanned = this.#find(start, isLast)
    }
    this.#bytes = this.#bytes.subarray(start)
  }

  #find(start: number, isLast: boolean): Scanned | null {
    const bytes = this.#bytes
    if (this.#isSkipping) {
      const end = firstLine(bytes, start, isLast, `the line is longer than ${LONGEST / 1_024} kB`)
      this.#isSkipping = end === null
      return end
    }
    if (start >= bytes.length) return null
    const scanned = scanRecord(bytes, start, isLast)
    const isTooLong = isLast || bytes.length - start > LONGEST
    return scanned ?? (isTooLong ? firstLine(bytes, start, isLast, 'a quote is opened and not closed') : null)
  }

  #record(start: number, { end, problem }: Scanned): RawRecord {
    const bytes = this.#bytes.subarray(start, this.#bytes[end - 1] === RETURN && end > start ? end - 1 : end)
    const { byte, line } = this.#place
    const length = Math.min(end + 1, this.#bytes.length) - start
    this.#place = { byte: byte + length, line: line + 1 + countLines(bytes) }
    return { bytes, line, next: this.#place, problem }
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) lines++
  return lines
}
