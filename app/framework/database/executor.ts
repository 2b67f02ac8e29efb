import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { writeGuard } from './write-guard.ts'

/** One request, task or test: what its statements have in common. */
interface Unit {
  /** Statements so far that may have written something. */
  writes: number
  /** Connections that it holds. */
  held: number
  readonly waiting: (() => void)[]
}

/** Connections that one unit may hold at the same moment: the buttons of one page must not take everybody else's. */
const CONNECTIONS = 4

interface Current {
  readonly db: Kysely<Tables>
  readonly unit: Unit
}

const storage = new AsyncLocalStorage<Current>()

/** Runs `work` so that repositories in it use this database, or this transaction. */
export function withDatabase<Result>(db: Kysely<Tables>, work: () => Result): Result {
  const unit = currentUnit() ?? { writes: 0, held: 0, waiting: [] }
  return storage.run({ db, unit }, work)
}

/** The request, task or test that this code is part of; undefined outside of any. */
export const currentUnit = (): Unit | undefined => storage.getStore()?.unit

/** Waits while this unit of work holds as many connections as it may; gives what ends the turn. */
export async function takeTurn(): Promise<() => void> {
  const unit = currentUnit()
  if (unit === undefined) return () => {}
  if (unit.held < CONNECTIONS) unit.held++
  // The turn is handed over: who ends theirs leaves `held` as it is.
  else await new Promise<void>((resolve) => unit.waiting.push(resolve))
  return () => {
    const next = unit.waiting.shift()
    if (next === undefined) unit.held--
    else next()
  }
}

/** Told of every statement once it is over. Whatever is no plain `select` may have written, the end of a transaction too. */
export function noteStatement(sql: string): void {
  const unit = currentUnit()
  if (unit !== undefined && !/^\s*select\b/i.test(sql)) unit.writes++
}

/**
 * The database of the current request, task or test, for queries that no repository writes for you.
 * Reads anything; refuses to write the tables of resources, whose repositories alone may do that. For a transaction
 * that repositories take part in, use `inTransaction`.
 */
export function database(): Kysely<Tables> {
  return executor().withPlugin(writeGuard)
}

/**
 * Runs `work` in a transaction: every repository inside uses it, and so does `database()`. Within another it is part
 * of that one. What throws takes everything back.
 */
export function inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  const db = executor()
  if (db.isTransaction) return work()
  return db.transaction().execute((transaction) => withDatabase(transaction, work))
}

/** The same without the guard: for the framework itself. */
export function executor(): Kysely<Tables> {
  const db = storage.getStore()?.db
  if (db === undefined) {
    throw new Error('No database here. Call this within a request, or wrap it in withDatabase(db, () => …).')
  }
  return db
}
