import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { writeGuard } from './write-guard.ts'

const storage = new AsyncLocalStorage<Kysely<Tables>>()

/** Runs `work` so that repositories in it use this database, or this transaction. */
export function withDatabase<Result>(db: Kysely<Tables>, work: () => Result): Result {
  return storage.run(db, work)
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
  const db = storage.getStore()
  if (db === undefined) {
    throw new Error('No database here. Call this within a request, or wrap it in withDatabase(db, () => …).')
  }
  return db
}
