import { insertRows } from '../database/storage.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Resource } from '../resource/resource.ts'

export type Rows<Row> = Iterable<Row> | AsyncIterable<Row>

/** What one statement can carry. */
const MAX_PARAMETERS = 65_535
/** Longer statements take longer to write down than they save. */
const MAX_ROWS = 1_000

/** Stores all of them or none, a statement at a time; takes no more from `rows` than that. Gives their ids, in order. */
export function insertAll(resource: Resource, rows: Rows<object>): Promise<number[]> {
  return inTransaction(async () => {
    const ids: number[] = []
    for await (const chunk of chunksOf(rows)) ids.push(...(await insertRows(resource, chunk)))
    return ids
  })
}

/** The same, each row by itself. */
export function insertEach<Row>(rows: Rows<Row>, insert: (row: Row) => Promise<object>): Promise<number[]> {
  return inTransaction(async () => {
    const ids: number[] = []
    for await (const row of rows) ids.push(((await insert(row)) as { id: number }).id)
    return ids
  })
}

/** As many rows at a time as fit into one statement, each with as many values as it has columns. */
export async function* chunksOf<Row extends object>(rows: Rows<Row>): AsyncGenerator<Row[]> {
  let chunk: Row[] = []
  let parameters = 0
  for await (const row of rows) {
    const width = Object.keys(row).length
    if (chunk.length === MAX_ROWS || parameters + width > MAX_PARAMETERS) {
      yield chunk
      chunk = []
      parameters = 0
    }
    chunk.push(row)
    parameters += width
  }
  if (chunk.length > 0) yield chunk
}
