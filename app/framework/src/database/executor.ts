import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import { Unavailable } from '../http/errors.ts'
import type { Tables } from '../resource/tables.ts'
import { writeGuard } from './write-guard.ts'

/** One request, task or test: what its statements have in common. */
interface Unit {
  /** Statements so far that may have written something. */
  writes: number
  /** Connections that it holds. */
  held: number
  readonly waiting: (() => void)[]
  readonly fence: Fence | null
}

/** What has to hold for the statements of a unit: of a task, that nobody else has taken it over. */
export interface Fence {
  /** Asked before each statement; throws when it may not be sent. */
  check(sql: string): void
  /** The first thing in each transaction: sees to it that what holds now holds until the end. */
  hold(): Promise<void>
}

/** Connections that one unit may hold at the same moment: the buttons of one page must not take everybody else's. */
const CONNECTIONS = 4

interface Place {
  readonly db: Kysely<Tables>
  readonly unit: Unit
  /** Null outside of one, and in one that `inTransaction` didn't open. */
  readonly transaction: OpenTransaction | null
}

/** A transaction, for what has to know how it stands. */
export interface OpenTransaction {
  readonly isolation: Isolation
  /** What waits for the commit. */
  readonly afterCommit: (() => unknown)[]
  /** It is ending, and takes nothing more. */
  isOver: boolean
  /** Nothing of what was done in it stands. */
  isTakenBack: boolean
}

/** From the one that sees what others commit meanwhile to the one in which nobody else seems to be there. */
export const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const
export type Isolation = (typeof ISOLATIONS)[number]

const storage = new AsyncLocalStorage<Place>()

/**
 * Calls `work` and returns its result. Repositories and `database()` inside of it use this database.
 *
 * ```ts
 * app.use((_req, _res, next) => withDatabase(db, next))
 * ```
 */
export function withDatabase<Result>(db: Kysely<Tables>, work: () => Result): Result {
  return withFence(db, null, work)
}

/** The same, behind a fence. */
export function withFence<Result>(db: Kysely<Tables>, fence: Fence | null, work: () => Result): Result {
  return storage.run({ db, unit: { writes: 0, held: 0, waiting: [], fence }, transaction: null }, work)
}

/**
 * Where this code runs: for which request, task or test, and in which of its transactions. The same object for all that
 * runs there; undefined outside of any.
 */
export const currentPlace = (): Place | undefined => storage.getStore()

/**
 * Waits while this unit of work holds as many connections as it may; gives what ends the turn. Throws `Unavailable` after
 * so many milliseconds: those who hold the others may be waiting for this one.
 */
export async function takeTurn(timeout: number): Promise<() => void> {
  const unit = currentPlace()?.unit
  if (unit === undefined) return () => {}
  if (unit.held < CONNECTIONS) unit.held++
  else await nextTurn(unit, timeout)
  return () => {
    // The turn is handed on: `held` stays as it is.
    const next = unit.waiting.shift()
    if (next === undefined) unit.held--
    else next()
  }
}

function nextTurn({ waiting }: Unit, timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(late)
      resolve()
    }
    const late = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1)
      reject(new Unavailable('this request holds too many connections'))
    }, timeout)
    waiting.push(begin)
  })
}

/** Told of every statement once it is over. Whatever is no plain `select` may have written, the end of a transaction too. */
export function noteStatement(sql: string): void {
  const unit = currentPlace()?.unit
  if (unit !== undefined && !/^\s*select\b/i.test(sql)) unit.writes++
}

/**
 * Returns the database of the current request, task or test, for queries that no repository has. Inside
 * `inTransaction`, it is that transaction.
 *
 * Reads any table. Throws for a statement that writes a resource's table: only its repository may. Throws outside of
 * a request and of `withDatabase`.
 *
 * ```ts
 * const { total } = await database().selectFrom('posts').select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
 * ```
 */
export function database(): Kysely<Tables> {
  return executor().withPlugin(writeGuard)
}

/** Runs `work` as another part of this unit, in `transaction`. */
export function withinTransaction<Result>(
  db: Kysely<Tables>,
  transaction: OpenTransaction,
  work: () => Result,
): Result {
  return storage.run({ db, unit: place().unit, transaction }, work)
}

/** The same without the guard: for the framework itself. */
export const executor = (): Kysely<Tables> => place().db

/** The same as `currentPlace`; throws where nothing may be sent. */
export function place(): Place {
  refuseLate()
  const found = currentPlace()
  if (found !== undefined) return found
  throw new Error('No database here. Call this within a request, or wrap it in withDatabase(db, () => …).')
}

/** Throws before a statement that may not be sent here. */
export function refuseStatement(sql: string): void {
  refuseLate()
  currentPlace()?.unit.fence?.check(sql)
}

/** Throws in a transaction that is ending: what is sent behind its `rollback` would stand by itself, and stay. */
export function refuseLate(): void {
  if (currentPlace()?.transaction?.isOver)
    throw new Error('This transaction is over. Await everything that is done in it.')
}
