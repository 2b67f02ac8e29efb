import { createReadStream } from 'node:fs'

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
  /** The reason why the record is malformed, or null. A malformed record is its first line. */
  readonly problem: string | null
}

/** The most bytes of a record. Without a limit, a missing quote could fill the memory. */
const LONGEST = 256 * 1_024

const FIELD = '(?:"[^"]*(?:""[^"]*)*"|[^",\\n]*)'
const FIELDS = new RegExp(`${FIELD}(?:,${FIELD})*`, 'y')
const RECORD = new RegExp(`${FIELDS.source}\\r?(?:\\n|$)`, 'y')

/** Yields the records in the first `size` bytes of a file, starting at `from`. Uses about a megabyte of memory. */
export async function* readRecords(path: string, from: Place, size: number): AsyncGenerator<RawRecord> {
  if (from.byte >= size) return
  const reader = new RecordReader(from)
  const stream = createReadStream(path, { start: from.byte, end: size - 1, highWaterMark: LONGEST / 4 })
  for await (const chunk of stream) yield* reader.read(chunk as Buffer)
  yield* reader.rest()
}

/** Returns the record at the beginning of these bytes; null if it is malformed. */
export function firstRecord(bytes: Buffer): RawRecord | null {
  const reader = new RecordReader({ byte: 0, line: 1 })
  const none = reader.read(bytes).next()
  const { value } = none.done === true ? reader.rest().next() : none
  return value?.problem === null ? value : null
}

class RecordReader {
  /** Each character is a byte: in UTF-8, that of a comma, a quote or a line feed is never part of another character. */
  #text = ''
  #place: Place
  /** The bytes of a line that is too long, as far as they were read. */
  #skipped = 0

  constructor(from: Place) {
    this.#place = from
  }

  *read(chunk: Buffer): Generator<RawRecord> {
    this.#text += chunk.toString('latin1')
    while (this.#text.length > LONGEST || (this.#skipped > 0 && this.#text !== '')) yield* this.#next(false)
  }

  *rest(): Generator<RawRecord> {
    while (this.#text !== '' || this.#skipped > 0) yield* this.#next(true)
  }

  *#next(isLast: boolean): Generator<RawRecord> {
    const whole = this.#skipped > 0 ? null : matchAt(RECORD, this.#text)
    if (whole !== null && whole.length <= LONGEST && (isLast || whole.endsWith('\n')))
      yield this.#record(whole, null)
    else yield* this.#firstLine(isLast)
  }

  *#firstLine(isLast: boolean): Generator<RawRecord> {
    const end = this.#text.indexOf('\n') + 1
    const line = end === 0 ? this.#text : this.#text.slice(0, end)
    if (this.#skipped === 0 && line.length <= LONGEST) yield this.#record(line, problemAt(this.#text))
    else {
      this.#skipped += line.length
      this.#text = this.#text.slice(line.length)
      if (end > 0 || isLast) yield this.#endSkipping()
    }
  }

  #record(content: string, problem: string | null): RawRecord {
    const text = content.replace(/\r?\n?$/, '')
    this.#text = this.#text.slice(content.length)
    return this.#advance(content.length, text, problem)
  }

  #endSkipping(): RawRecord {
    const length = this.#skipped
    this.#skipped = 0
    return this.#advance(length, '', `the line is longer than ${LONGEST / 1_024} kB`)
  }

  #advance(length: number, text: string, problem: string | null): RawRecord {
    const { byte, line } = this.#place
    this.#place = { byte: byte + length, line: line + text.split('\n').length }
    return { bytes: Buffer.from(text, 'latin1'), line, next: this.#place, problem }
  }
}

function matchAt(expression: RegExp, text: string): string | null {
  expression.lastIndex = 0
  return expression.exec(text)?.[0] ?? null
}

/** Returns why the text begins with a malformed record. */
function problemAt(text: string): string {
  const fields = matchAt(FIELDS, text) ?? ''
  if (text[fields.length] !== '"') return 'a closing quote is followed by text'
  return fields === '' || fields.endsWith(',')
    ? 'a quote is opened and not closed'
    : 'a field without quotes contains a quote'
}

/** Returns the fields of a well-formed record. */
export const fieldsOf = (record: Buffer): string[] =>
  [...`,${record.toString()}`.matchAll(/,(?:"([^"]*(?:""[^"]*)*)"|([^,]*))/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  )
