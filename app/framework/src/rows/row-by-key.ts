import { AsyncLocalStorage } from 'node:async_hooks'
import type { Compilable, CompiledQuery } from 'kysely'
import { InexactId } from '../database/column-types.ts'
import { sessionsOf } from '../database/connect.ts'
import { deepFreeze } from './deep-freeze.ts'
import { databaseContext } from '../database/executor.ts'
import type { SessionPool } from '../database/session-pool.ts'
import { isDataException } from '../database/sql-states.ts'

type Key = string | number

/** The most keys of a statement. */
export const MOST_KEYS = 128

/**
 * Returns a function that finds a row by its key, for rows that almost every request reads, such as its session. Calls at
 * the same moment share one statement, also those of different requests. It is sent after each of them has begun, so each
 * reads the row as it is then. Every caller gets an object of its own, with frozen values. A row whose key has another
 * text than the one that was passed is not found.
 *
 * `query` returns the rows with some keys, in the column `column`. It is compiled once for 1, 2, 4 … keys, so it must
 * depend on nothing else: throws for a query with another parameter than the keys. Find the rows with `in`: Postgres would plan a statement with `any` anew for each call, because
 * it expects ten keys, which takes longer than reading a row.
 *
 * ```ts
 * const userById = rowByKey('id', (ids: readonly number[]) =>
 *   database().selectFrom('users').select(['id', 'name']).where('id', 'in', ids))
 * const user = await userById(7)
 * ```
 */
export function rowByKey<K extends Key, Row extends object>(
  column: string & keyof Row,
  query: (keys: readonly K[]) => Compilable<Row>,
): (key: K) => Promise<Row | undefined> {
  const find = async (key: K): Promise<Row | undefined> => {
    const { db } = databaseContext()
    const { rows } = await db.executeQuery<Row>(withKeys(compiled(column, query as never, 1), [key]))
    return rows.find((row) => row[column] === key)
  }
  const batches = new WeakMap<SessionPool, Batches<K, Row>>()
  return async (key) => {
    const shared = sharedHere()
    if (shared === null) return find(key)
    let batch = batches.get(shared)
    if (batch === undefined) {
      batch = new Batches(shared, column, query as never)
      batches.set(shared, batch)
    }
    return batch.find(key)
  }
}

/**
 * Returns the sessions in which concurrent requests share a statement here. Null in a transaction, under a fence and with
 * a lock: each call then sends a statement.
 */
export function sharedHere(): SessionPool | null {
  const { db, unit, locksReads } = databaseContext()
  return unit.fence !== null || locksReads ? null : (sessionsOf(db) ?? null)
}

/** Stands for the key with this index in a compiled query. */
class Slot {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

const SLOTS = Array.from({ length: MOST_KEYS }, (_slot, index) => new Slot(index))

/** Compiles the query for this number of keys. Throws if it depends on another value, which callers would share. */
function compiled(column: string, query: (keys: readonly Slot[]) => Compilable, keys: number): CompiledQuery {
  const result = query(SLOTS.slice(0, keys)).compile()
  const { parameters } = result
  if (parameters.length > 0 && parameters.every((value) => value instanceof Slot)) return result
  throw new Error(
    `The only parameters of a query of rowByKey are its keys: where('${column}', 'in', keys). Requests share the query, so it can't depend on the caller.`,
  )
}

/** Returns the query with keys in the slots. A key may occur several times. */
const withKeys = (query: CompiledQuery, keys: readonly Key[]): CompiledQuery => ({
  ...query,
  parameters: query.parameters.map((slot) => keys[(slot as Slot).index] ?? keys[0]),
})

/** Collects the calls of one turn of the event loop. */
class Batches<K extends Key, Row extends object> {
  readonly #sessions: SessionPool
  readonly #column: string & keyof Row
  readonly #query: (keys: readonly Slot[]) => Compilable<Row>
  /** The compiled queries for 1, 2, 4 … keys. */
  readonly #compiled: CompiledQuery[] = []
  #waiting: Waiting<K, Row>[] = []

  constructor(
    sessions: SessionPool,
    column: string & keyof Row,
    query: (keys: readonly Slot[]) => Compilable<Row>,
  ) {
    this.#sessions = sessions
    this.#column = column
    this.#query = query
  }

  find(key: K): Promise<Row | undefined> {
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

  async #send(waiting: readonly Waiting<K, Row>[]): Promise<void> {
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

  async #rows(keys: readonly K[]): Promise<Map<unknown, Row>> {
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

interface Waiting<K, Row> {
  readonly key: K
  readonly resolve: (row: Row | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Runs a function outside of any request: a statement of several requests belongs to none of them. */
const inNoUnit = AsyncLocalStorage.snapshot()
