import type { Compilable, CompiledQuery } from 'kysely'
import { sessionsOf } from '../database/connect.ts'
import { databaseContext } from '../database/executor.ts'
import type { SessionPool } from '../database/session-pool.ts'

export type Key = string | number

/** The most keys of a statement. */
export const MOST_KEYS = 128

/**
 * Returns a function that finds a row by its key, for rows that almost every request reads, such as its session. Calls at
 * the same moment share one statement, also those of different requests. It is sent after each of them has begun, so each
 * reads the row as it is then. Every caller gets an object of its own, with frozen values. A row whose key has another
 * text than the one that was passed is not found.
 *
 * `query` returns the rows with some keys, in the column `column`. It is compiled once for 1, 2, 4 … keys, so it must
 * depend on nothing else: throws for a query with another parameter than the keys. Find the rows with `in`: Postgres would
 * plan a statement with `any` anew for each call, because it expects ten keys, which takes longer than reading a row.
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
  let shared: SharedFinder<K, Row> | undefined
  return async (key) => {
    const sessions = sharedHere()
    if (sessions === null) return find(key)
    shared ??= sharing.share?.(column, query as never) as SharedFinder<K, Row> | undefined
    return shared === undefined ? find(key) : shared(sessions, key)
  }
}

type SharedFinder<K extends Key, Row> = (sessions: SessionPool, key: K) => Promise<Row | undefined>

/** How calls at the same moment share a statement. `speed/` sets it: without it, each call sends a statement. */
export const sharing: {
  share: ((column: string, query: KeyQuery) => SharedFinder<Key, Record<string, unknown>>) | null
} = { share: null }

/** A query for the rows with these keys. */
export type KeyQuery = (keys: readonly Slot[]) => Compilable<Record<string, unknown>>

/**
 * Returns the sessions in which concurrent requests share a statement here. Null in a transaction, under a fence and with
 * a lock: each call then sends a statement.
 */
export function sharedHere(): SessionPool | null {
  const { db, unit, locksReads } = databaseContext()
  return unit.fence !== null || locksReads || sharing.share === null ? null : (sessionsOf(db) ?? null)
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
export function compiled(column: string, query: KeyQuery, keys: number): CompiledQuery {
  const result = query(SLOTS.slice(0, keys)).compile()
  const { parameters } = result
  if (parameters.length > 0 && parameters.every((value) => value instanceof Slot)) return result
  throw new Error(
    `The only parameters of a query of rowByKey are its keys: where('${column}', 'in', keys). Requests share the query, so it can't depend on the caller.`,
  )
}

/** Returns the query with keys in the slots. A key may occur several times. */
export const withKeys = (query: CompiledQuery, keys: readonly Key[]): CompiledQuery => ({
  ...query,
  parameters: query.parameters.map((slot) => keys[(slot as Slot).index] ?? keys[0]),
})
