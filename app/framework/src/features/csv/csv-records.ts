import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import type { Progress } from '../../lists/batches/progress.ts'
import { type CsvFile, openCsv } from './csv-file.ts'
import { fieldsOf, type Place, type RawRecord, readRecords } from './read-records.ts'

const BATCH = 500
const BATCH_BYTES = 1_024 * 1_024
/** The most refused records that are passed to `warn`. Further ones are only counted. */
const MOST_WARNINGS = 100

export interface CsvOptions<Column extends string> {
  /** The columns that the header must name, in any order. */
  readonly columns: readonly Column[]
  /** If aborted, the next batch throws its reason. */
  readonly signal?: AbortSignal
  /** The `position` that an earlier walk reached; null to start at the first record. */
  readonly position?: string | null
  /** Receives a sentence with the line number for each of the first 100 refused records. */
  readonly warn?: (line: string) => void
}

/** A record of a CSV file. */
export interface CsvRecord<Column extends string> {
  /** The number of its first line in the file. */
  readonly line: number
  /** The text of each column. */
  readonly values: Readonly<Record<Column, string>>
}

const positionSchema = z.object({
  size: z.number(),
  digest: z.string(),
  byte: z.number(),
  line: z.number(),
  records: z.number(),
  refused: z.number(),
})
type Position = z.output<typeof positionSchema>

/**
 * Reads the records of a CSV file of any size, in batches of up to 500 and 1 MB. Blank lines are skipped. A malformed
 * record is passed to `warn` and skipped. The header must name exactly `columns`, in any order.
 *
 * The returned walk has a `position`: store it with `checkpoint` in the transaction of the batch, and pass it to the
 * walk that resumes. Iterating throws if the path is missing or not a file, if the header differs, and if the file has
 * changed since `position`. It throws the reason of `signal` once the signal is aborted.
 *
 * ```ts
 * const records = csvRecords(args.file, { columns: ['title', 'body'], position: run.position, warn: run.warn })
 * for await (const batch of records)
 *   await inTransaction(async () => {
 *     await posts.asSystem('import').saveMany(batch.map(({ values }) => values))
 *     await run.checkpoint(records.position)
 *   })
 * ```
 */
export const csvRecords = <const Column extends string>(
  path: string,
  options: CsvOptions<Column>,
): CsvRecords<Column> => new CsvRecords(path, options)

/** A walk through a CSV file. Store its `position` with `checkpoint`, in one transaction with the work on the batch. */
export class CsvRecords<Column extends string> implements AsyncIterable<CsvRecord<Column>[]> {
  readonly #path: string
  readonly #options: CsvOptions<Column>
  #position: Position | null = null
  #refusals: { readonly line: number; readonly problem: string }[] = []

  constructor(path: string, options: CsvOptions<Column>) {
    this.#path = path
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CsvRecord<Column>[]> {
    const { columns, signal, position = null } = this.#options
    const file = await openCsv(this.#path, columns)
    this.#position = startOf(file, position)
    for await (const batch of batchesOf(readRecords(this.#path, this.#position, file.size))) {
      signal?.throwIfAborted()
      const records = this.#readable(file, batch.filter(isNotBlank))
      this.#advance(batch.at(-1)?.next, records.length)
      yield records
      this.#warn()
    }
  }

  /**
   * The end of the current batch, with the counts so far, from which another walk can resume. Null before the first.
   */
  get position(): string | null {
    return this.#position && JSON.stringify(this.#position)
  }

  /** The number of refused records, including those before the position at which this walk resumed. */
  get refused(): number {
    return this.#position?.refused ?? 0
  }

  /** The number of accepted records, including those before the position at which this walk resumed. */
  get accepted(): number {
    return this.#position?.records ?? 0
  }

  progress(): Progress {
    const { byte, size } = this.#position ?? { byte: 0, size: 1 }
    return { rows: this.accepted, share: byte / size }
  }

  /**
   * Counts a record of the current batch as refused. The warnings are sent after the batch, in the order of the file.
   */
  refuse({ line }: CsvRecord<Column>, problem: string): void {
    this.#refuse(line, problem)
    this.#advance(undefined, -1)
  }

  #advance(next: Place | undefined, records: number): void {
    const position = this.#position
    if (position) this.#position = { ...position, ...next, records: position.records + records }
  }

  #refuse(line: number, problem: string): void {
    this.#refusals.push({ line, problem })
    if (this.#position) this.#position = { ...this.#position, refused: this.#position.refused + 1 }
  }

  #readable({ columns }: CsvFile<Column>, batch: readonly RawRecord[]): CsvRecord<Column>[] {
    return batch.flatMap(({ bytes, line, problem }) => {
      const reason = problem ?? unreadable(bytes)
      const fields = reason === null ? fieldsOf(bytes) : []
      if (reason === null && fields.length === columns.length)
        return { line, values: valuesOf(columns, fields) as Record<Column, string> }
      this.#refuse(line, reason ?? `it has ${counted(fields.length)} instead of ${columns.length}`)
      return []
    })
  }

  #warn(): void {
    const { warn = () => {} } = this.#options
    const before = this.refused - this.#refusals.length
    const inOrder = this.#refusals.toSorted((one, other) => one.line - other.line)
    this.#refusals = []
    for (const { line, problem } of inOrder.slice(0, Math.max(0, MOST_WARNINGS - before)))
      warn(`line ${line}: ${problem}`)
    if (before < MOST_WARNINGS && this.refused >= MOST_WARNINGS)
      warn('Further malformed lines are counted but not listed.')
  }
}

function startOf({ size, digest, start }: CsvFile, position: string | null): Position {
  if (position === null) return { size, digest, ...start, records: 0, refused: 0 }
  const reached = positionSchema.parse(JSON.parse(position))
  if (reached.size === size && reached.digest === digest) return reached
  throw new Error(
    `The file has changed since it was read up to line ${reached.line}, so the run can't resume there. ` +
      'Restore the earlier file, or move the remaining records to a new file.',
  )
}

async function* batchesOf(records: AsyncIterable<RawRecord>): AsyncGenerator<RawRecord[]> {
  let batch: RawRecord[] = []
  let bytes = 0
  for await (const record of records) {
    batch.push(record)
    bytes += record.bytes.length
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const isNotBlank = ({ bytes, problem }: RawRecord) => problem !== null || bytes.length > 0

function unreadable(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return 'it is not UTF-8'
  return bytes.includes(0) ? 'it contains a zero byte' : null
}

const valuesOf = (columns: readonly string[], fields: readonly string[]) =>
  Object.fromEntries(columns.map((name, index) => [name, fields[index] ?? '']))

const counted = (fields: number) => `${fields} ${fields === 1 ? 'field' : 'fields'}`
