import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  type RootOperationNode,
  SelectQueryNode,
} from 'kysely'
import type { Tables } from '../resource/tables.ts'
import type { Cause, DatabaseContext, Unit } from './unit.ts'
import { writeGuard } from './write-guard.ts'

const storage = new AsyncLocalStorage<DatabaseContext>()

/**
 * Calls `work` and returns its result. Repositories and `database()` inside of it use this database. Security events and
 * the history of records contain the `cause`.
 *
 * ```ts
 * app.use((req, _res, next) => withDatabase(db, next, { request: req }))
 * ```
 */
export function withDatabase<Result>(db: Kysely<Tables>, work: () => Result, cause: Cause = {}): Result {
  return withFence(db, { fence: null, cause }, work)
}

type UnitOptions = Pick<Unit, 'fence' | 'cause' | 'fail'>

/** Calls `work` like `withDatabase`, with a fence that checks each of its statements. */
export function withFence<Result>(db: Kysely<Tables>, options: UnitOptions, work: () => Result): Result {
  return storage.run({ db, unit: newUnit(db, options), transaction: null }, work)
}

const newUnit = (db: Kysely<Tables>, { fence, cause, fail }: UnitOptions): Unit => ({
  writes: 0,
  fence,
  cause,
  fail,
  db,
  tenant: undefined,
  isSignedIn: false,
  position: null,
})

/** Returns the cause of the running code's unit. Throws outside of a unit. */
export const currentCause = (): Cause => databaseContext().unit.cause

/** Returns the database context of the running code: its database, its unit and its transaction. Undefined outside of a unit. */
export const currentDatabaseContext = (): DatabaseContext | undefined => storage.getStore()

/**
 * Fails the job or the task whose code rejected a promise without awaiting it. Returns false if the promise belongs to
 * none. Call it in a listener of `unhandledRejection`, which runs in the context of the promise.
 */
export function failUnit(error: unknown): boolean {
  const fail = currentDatabaseContext()?.unit.fail
  fail?.(error)
  return fail !== undefined
}

/** Counts a finished statement, unless it only reads. The end of a transaction counts: it may undo writes. */
export function countWrite(query: RootOperationNode): void {
  const unit = currentDatabaseContext()?.unit
  if (unit !== undefined && !isRead(query)) unit.writes++
}

/**
 * Returns whether a statement is a query of the query builder, with such queries in its `with` clause. Raw SQL is not
 * read, since a wrong guess would reuse decisions about old rows.
 */
export const isRead = (query: OperationNode): boolean =>
  SelectQueryNode.is(query) &&
  (query.with === undefined || query.with.expressions.every(({ expression }) => isRead(expression)))

/**
 * Returns the database of the current request, task or test, for queries that no repository has. Inside
 * `inTransaction`, it is that transaction.
 *
 * Reads any table. Throws for a statement that writes a resource's table: only its repository may. Throws outside of a
 * request and of `withDatabase`.
 *
 * ```ts
 * const { total } = await database().selectFrom('posts').select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
 * ```
 */
export function database(): Kysely<Tables> {
  return executor().withPlugin(writeGuard)
}

/** Calls `work` in the same unit, with these parts of the context: another tenant, a transaction, a replica. */
export const within = <Result>(parts: Omit<Partial<DatabaseContext>, 'unit'>, work: () => Result): Result =>
  storage.run({ ...databaseContext(), ...parts }, work)

/** Calls `work` in another context, which `databaseContext()` returned there. */
export const withinContext = <Result>(other: DatabaseContext, work: () => Result): Result =>
  storage.run(other, work)

/**
 * Calls `work` in a unit of its own, for statements that are not part of what the caller asked for, such as noting when
 * a session was last used. Its writes change nothing that lists show.
 */
export function inOwnUnit<Result>(work: () => Result): Result {
  const { db, unit, transaction, tenant } = databaseContext()
  const { db: own, isSignedIn } = unit
  const bookkeeping: Unit = { ...newUnit(db, unit), db: own, tenant: unit.tenant, isSignedIn }
  return storage.run({ db, unit: bookkeeping, transaction, tenant }, work)
}

/** Calls `work` outside of any unit: a statement of several requests belongs to none of them. */
export const inNoUnit = <Result>(work: () => Result): Result => storage.exit(work)

/** Calls `work` with this plugin, which adds locks to its queries: see `lockingReads`. */
export function withinLocks<Result>(locks: KyselyPlugin, work: () => Result): Result {
  const outer = databaseContext()
  const inner = lockingContexts.get(outer) ?? { ...outer, db: outer.db.withPlugin(locks), locksReads: true }
  lockingContexts.set(outer, inner)
  return storage.run(inner, work)
}

/** By the transaction, so that the results that rules reuse are shared by its decisions. */
const lockingContexts = new WeakMap<DatabaseContext, DatabaseContext>()

/** Returns the database without the write guard, for the framework itself. */
export const executor = (): Kysely<Tables> => databaseContext().db

/** Returns the current context. Throws outside of a unit, and in a transaction that is ending. */
export function databaseContext(): DatabaseContext {
  rejectLate()
  const found = currentDatabaseContext()
  if (found !== undefined) return found
  throw new Error(
    'No database is available here. Call this within a request, or wrap it in withDatabase(db, () => …).',
  )
}

/** Throws if the statement must not be sent here. */
export function refuseStatement(sql: string): void {
  rejectLate()
  currentDatabaseContext()?.unit.fence?.check(sql)
}

/** Throws in a transaction that is ending: a statement sent after its `rollback` would be committed on its own. */
function rejectLate(): void {
  if (currentDatabaseContext()?.transaction?.isOver)
    throw new Error('This transaction has ended. Await every promise inside of it.')
}
