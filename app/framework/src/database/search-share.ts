import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { Unavailable } from '../http/errors.ts'
import type { Tables } from '../resource/tables.ts'
import { type Isolation, place } from './executor.ts'
import { replicasOf } from './replicas/read-replica.ts'
import { SqlState, sqlState } from './sql-states.ts'
import { inTransaction } from './transaction.ts'

interface SearchLimits {
  /** The size of the database's pool. Searches use a quarter of it at once, and at least one connection. */
  poolSize: number
  /** Milliseconds after which Postgres cancels a statement of a search. */
  statementTimeout: number
}

const SHARE = 1 / 4
/** So many searches wait for each connection while searches are quick: they soon have their turn. */
const WAITING = 10
/** While searches are slow, a longer queue would only take the places of other requests. */
const WAITING_IF_SLOW = 2
/** Milliseconds after which a search is slow. */
const SLOW = 100
/** The most milliseconds that a search waits. */
const LONGEST_WAIT = 500

/** The connections that searches may use at once, and a short queue in front of them: first in, first out. */
export class SearchShare {
  readonly statementTimeout: number
  readonly #connections: number
  readonly #longestWait: number
  readonly #running = new Set<{ readonly since: number }>()
  #taken = 0
  readonly #waiting: (() => void)[] = []
  #lastDuration = 0

  constructor({ poolSize, statementTimeout }: SearchLimits, longestWait = LONGEST_WAIT) {
    this.statementTimeout = statementTimeout
    this.#connections = Math.max(1, Math.floor(poolSize * SHARE))
    this.#longestWait = longestWait
  }

  /** Calls `search` as soon as a connection of the share is free. Throws `Unavailable` instead of waiting long. */
  async run<Result>(search: () => Promise<Result>): Promise<Result> {
    if (this.#taken < this.#connections) this.#taken++
    else await this.#turn()
    const running = { since: performance.now() }
    this.#running.add(running)
    try {
      return await search()
    } finally {
      this.#running.delete(running)
      this.#lastDuration = performance.now() - running.since
      // The next search gets this connection, so the number of taken ones doesn't change.
      const next = this.#waiting.shift()
      if (next === undefined) this.#taken--
      else next()
    }
  }

  #turn(): Promise<void> {
    const each = this.#isSlow() ? WAITING_IF_SLOW : WAITING
    if (this.#waiting.length >= this.#connections * each) throw tooMany()
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(late)
        resolve()
      }
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(tooMany())
      }, this.#longestWait)
      this.#waiting.push(begin)
    })
  }

  #isSlow(): boolean {
    const oldest = Math.min(...[...this.#running].map(({ since }) => since))
    return Math.max(this.#lastDuration, performance.now() - oldest) > SLOW
  }
}

const tooMany = () =>
  new Unavailable(
    'every connection for searches is in use',
    'Too many searches are running. Try again in a moment.',
  )

const tooSlow = (cause: unknown) =>
  new Unavailable(cause, 'This search takes too long. Search for longer words, or for more of them.')

const shares = new WeakMap<Kysely<Tables>, SearchShare>()

/**
 * Limits the searches of lists (`?q=`) and of reference fields in the requests of a database: they use a quarter of its
 * connections at once, and their statements have a timeout of their own. Other requests therefore never wait for
 * searches. Call it once, before the first request.
 *
 * A search that finds no free connection waits up to half a second. It throws `Unavailable` (503) if it waits longer,
 * after the timeout, and if too many others wait for each connection: ten, or two while searches take longer than 100 ms.
 */
export function limitSearches(db: Kysely<Tables>, limits: SearchLimits): void {
  // Each replica has a pool of its own.
  for (const one of [db, ...(replicasOf(db)?.all ?? []).map((replica) => replica.db)])
    shares.set(one, new SearchShare(limits))
}

/**
 * Runs the statements of a search within the limits of its database, in one transaction. A search in a transaction runs
 * without them, since it already has its connection.
 */
export async function withinSearchLimits<Result>(
  search: () => Promise<Result>,
  isolation?: Isolation,
): Promise<Result> {
  const share = shares.get(place().db)
  const options = isolation === undefined ? {} : { isolation }
  if (share === undefined) return isolation === undefined ? search() : inTransaction(search, options)
  // Limits of the transaction, since a connection pooler may give the session to another process afterwards.
  const limited = async () => {
    await sql`set local statement_timeout = ${sql.lit(share.statementTimeout)}`.execute(place().db)
    return search()
  }
  try {
    return await share.run(() => inTransaction(limited, options))
  } catch (error) {
    throw isTimeout(error) ? tooSlow(error) : error
  }
}

const isTimeout = (error: unknown): boolean =>
  [error, (error as Error).cause].some((one) => sqlState(one) === SqlState.queryCanceled)
