import type { CompiledQuery } from 'kysely'
import { InexactId } from '../database/column-types.ts'
import { inNoUnit } from '../database/executor.ts'
import type { SessionPool } from '../database/session-pool.ts'
import { isDataException } from '../database/sql-states.ts'
import { weakMemoize } from '../resource/memoize.ts'
import { deepFreeze } from '../resource/deep-freeze.ts'
import { compiled, type Key, type KeyQuery, MOST_KEYS, withKeys } from '../rows/row-by-key.ts'

type Row = Record<string, unknown>

/** Returns a function that finds rows by their keys. Calls at the same moment share one statement. */
export function shareRows(column: string, query: KeyQuery) {
  const batchesOf = weakMemoize((sessions: SessionPool) => new Batches(sessions, column, query))
  return (sessions: SessionPool, key: Key): Promise<Row | undefined> => batchesOf(sessions).find(key)
}

/** Collects the calls of one turn of the event loop. */
class Batches {
  readonly #sessions: SessionPool
  readonly #column: string
  readonly #query: KeyQuery
  /** The compiled queries for 1, 2, 4 … keys. */
  readonly #compiled: CompiledQuery[] = []
  #waiting: Waiting[] = []

  constructor(sessions: SessionPool, column: string, query: KeyQuery) {
    this.#sessions = sessions
    this.#column = column
    this.#query = query
  }

  find(key: Key): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) inNoUnit(() => setImmediate(() => this.#sendAll()))
      this.#waiting.push({ key, resolve, reject })
      // Now, because the query needs the database of a caller.
      const most = sizeFor(Math.min(this.#waiting.length, MOST_KEYS))
      this.#compiled[most] ??= compiled(this.#column, this.#query, 2 ** most)
    })
  }

  #sendAll(): void {
    const waiting = this.#waiting.splice(0)
    while (waiting.length > 0) void this.#send(waiting.splice(0, MOST_KEYS))
  }

  async #send(waiting: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#rows([...new Set(waiting.map(({ key }) => key))])
      for (const { key, resolve } of waiting) {
        const row = rows.get(key)
        // A decision about the object of one request must not apply to another. Its values are frozen.
        resolve(row && { ...row })
      }
    } catch (error) {
      // The value of one key, or of its row, was rejected: the others have rows.
      if (waiting.length > 1 && (isDataException(error) || error instanceof InexactId))
        for (const one of waiting) void this.#send([one])
      else for (const { reject } of waiting) reject(error)
    }
  }

  async #rows(keys: readonly Key[]): Promise<Map<unknown, Row>> {
    const query = this.#compiled[sizeFor(keys.length)] as CompiledQuery
    const session = await this.#sessions.acquire()
    try {
      const { rows } = await session.executeQuery<Row>(withKeys(query, keys))
      return new Map(rows.map((row) => [row[this.#column], deepFreeze(row)]))
    } finally {
      this.#sessions.release(session)
    }
  }
}

/** Returns the exponent of the smallest power of two that is not less than the number of keys. */
const sizeFor = (keys: number): number => Math.ceil(Math.log2(keys))

interface Waiting {
  readonly key: Key
  readonly resolve: (row: Row | undefined) => void
  readonly reject: (error: unknown) => void
}
