import { insertRows } from '../rows/storage.ts'
import { inTransaction, type TransactionOptions } from '../database/transaction.ts'
import type { IdOf, Resource, RowOf } from '../resource/resource.ts'
import { rethrowWithRow } from './failed-row.ts'
import type { WriteWatcher } from './record-feature.ts'

export type Rows<Row> = Iterable<Row> | AsyncIterable<Row>

const readBefore = new WeakSet<object>()

/**
 * Returns the rows. Throws if they are a generator that was passed before: it is empty now, and a transaction that runs
 * again after a deadlock would commit without its rows.
 */
export function notReadBefore<Row>(rows: Rows<Row>): Rows<Row> {
  if (!isGenerator(rows)) return rows
  if (readBefore.has(rows))
    throw new Error(
      'These rows were already read. Create the generator in the transaction that writes its rows.',
    )
  readBefore.add(rows)
  return rows
}

/** Returns whether the rows are their own iterator, so that they can be read once. */
function isGenerator(rows: Rows<unknown>): boolean {
  const iterator: object =
    Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  return iterator === rows
}

/** The most parameters of a Postgres statement. */
const MAX_PARAMETERS = 65_535
/** The most rows of a statement. Larger statements are not faster. */
const MAX_ROWS = 1_000

/** The watcher and the messages of inserts of many rows. */
export interface InsertOptions {
  readonly watcher?: WriteWatcher | undefined
  /** The columns whose values no error contains. */
  readonly secret: readonly string[]
}

/** Inserts all rows or none, in one transaction. Reads one statement's rows at a time. Returns the ids, in order. */
export function insertAll<R extends Resource>(
  resource: R,
  rows: Rows<object>,
  { watcher, secret }: InsertOptions,
): Promise<IdOf<R>[]> {
  return inOneTransaction(rows, async (all) => {
    const ids: IdOf<R>[] = []
    for await (const chunk of chunksOf(all)) {
      const nameOf = (index: number) => `row ${ids.length + index + 1}`
      const inserted = await insertRows(resource, chunk).catch(
        rethrowWithRow({ rows: chunk, nameOf, secret }),
      )
      await watcher?.inserted(inserted)
      ids.push(...inserted)
    }
    return ids
  })
}

/** Inserts all rows or none, in one transaction, with a statement for each row. Returns the ids, in order. */
export function insertEach<R extends Resource, Row extends object>(
  rows: Rows<Row>,
  insert: (row: Row) => Promise<RowOf<R>>,
  secret: readonly string[],
): Promise<IdOf<R>[]> {
  return inOneTransaction(rows, async (all) => {
    const ids: IdOf<R>[] = []
    for await (const row of all) {
      const nameOf = () => `row ${ids.length + 1}`
      const stored = await insert(row).catch(rethrowWithRow({ rows: [row], nameOf, secret }))
      ids.push((stored as { id: unknown }).id as IdOf<R>)
    }
    return ids
  })
}

const inOneTransaction = <Row, Result>(rows: Rows<Row>, write: (rows: Rows<Row>) => Promise<Result[]>) =>
  unlessEmpty(rows, (all) => inTransaction(() => write(all), READ_ONCE))

/** For a transaction that reads an iterable: after a deadlock, it would not read the first rows again. */
export const READ_ONCE: TransactionOptions = { retries: 0 }

/**
 * Calls `write` with the rows, and returns an empty list instead if there are none. The rows of an async iterable are
 * not counted first: it may read them from the transaction that `write` begins.
 */
export async function unlessEmpty<Row, Result>(
  rows: Rows<Row>,
  write: (rows: Rows<Row>) => Promise<Result[]>,
): Promise<Result[]> {
  if (!(Symbol.iterator in rows)) return write(rows)
  const source = rows[Symbol.iterator]()
  const first = source.next()
  if (first.done === true) return []
  try {
    return await write(continued(first.value, source))
  } finally {
    source.return?.()
  }
}

function* continued<Row>(first: Row, rest: Iterator<Row>): Generator<Row> {
  yield first
  yield* { [Symbol.iterator]: () => rest }
}

/** Splits rows into chunks that fit into one statement. */
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
