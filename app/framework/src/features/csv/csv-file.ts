import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { fieldsOf, firstRecord } from './read-records.ts'

export interface CsvFile<Column extends string = string> {
  readonly size: number
  /** The SHA-256 of the first 64 kB. Together with the size, it identifies the file when a walk resumes. */
  readonly digest: string
  /** The columns in the order of the file. */
  readonly columns: readonly Column[]
  /** The position of the first record. */
  readonly start: { byte: number; line: number }
}

const BEGINNING = 64 * 1_024
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)

/** Reads the header. Throws if the path is not a file, or if the first line doesn't name exactly these columns. */
export async function openCsv<Column extends string>(
  path: string,
  expected: readonly Column[],
): Promise<CsvFile<Column>> {
  const { size, bytes } = await beginningOf(path)
  const start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  const header = firstRecord(bytes.subarray(start))
  const columns = header === null ? [] : fieldsOf(header.bytes).map((name) => name.trim().toLowerCase())
  const isExpected = columns.length === expected.length && expected.every((name) => columns.includes(name))
  if (!isExpected)
    throw new Error(
      `The first line of ${path} must name the columns ${expected.join(', ')}, each once and separated by commas.`,
    )
  const digest = createHash('sha256').update(bytes).digest('hex')
  return {
    size,
    digest,
    columns: columns as Column[],
    start: { byte: start + (header?.next.byte ?? 0), line: header?.next.line ?? 1 },
  }
}

async function beginningOf(path: string) {
  const stats = await stat(path)
  // Checked first: opening a pipe without a writer blocks, and the process can't even exit meanwhile.
  if (!stats.isFile())
    throw new Error(
      stats.isDirectory()
        ? `${path} is a folder. Pass the path of a file.`
        : `${path} is a pipe or a device. Save the data to a file and pass its path.`,
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
