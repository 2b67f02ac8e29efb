import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { scanRecord } from './scan-record.ts'

export const COLUMNS = ['title', 'body', 'published', 'author'] as const

export interface CsvFile {
  readonly path: string
  readonly size: number
  /** Of how it begins: together with the size, by which it is known again. */
  readonly digest: string
  /** The columns in the order of the file. */
  readonly columns: readonly (typeof COLUMNS)[number][]
  /** Where the first record begins. */
  readonly start: { byte: number; line: number }
}

const BEGINNING = 64 * 1_024
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)

/** Looks at how a file begins. Throws a sentence for what is no such file. */
export async function openCsv(path: string): Promise<CsvFile> {
  const { size, bytes } = await beginningOf(path)
  const start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  const header = scanRecord(bytes, start, size <= BEGINNING)
  const columns = header?.problem === null ? namesOf(bytes.subarray(start, header.end)) : []
  const read = z.array(z.enum(COLUMNS)).length(COLUMNS.length).safeParse(columns)
  if (!read.success || new Set(columns).size < COLUMNS.length)
    throw new Error(
      `The first line of ${path} has to name the columns ${COLUMNS.join(', ')}, each once, with commas between them.`,
    )
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { path, size, digest, columns: read.data, start: { byte: (header?.end ?? 0) + 1, line: 2 } }
}

async function beginningOf(path: string) {
  const stats = await stat(path)
  // Asked first: to open a pipe that nobody writes to waits, and not even the end of the process ends that.
  if (!stats.isFile())
    throw new Error(
      stats.isDirectory()
        ? `${path} is a folder, and no file.`
        : `${path} is no file: a pipe can't be read from the middle again.`,
    )
  const file = await open(path)
  try {
    const bytes = Buffer.alloc(Math.min(stats.size, BEGINNING))
    await file.read(bytes, 0, bytes.length, 0)
    return { size: stats.size, bytes }
  } finally {
    await file.close()
  }
}

function namesOf(line: Buffer): string[] {
  const [names = []] = parseRecords([line])
  return names.map((name) => name.trim().toLowerCase())
}

/** The fields of records that were found to be well-formed. */
export const parseRecords = (records: readonly Buffer[]): string[][] =>
  parse(Buffer.concat(records.flatMap((bytes) => [bytes, Buffer.from('\n')])), {
    record_delimiter: '\n',
    relax_column_count: true,
  })
