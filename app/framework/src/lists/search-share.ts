import { type Kysely, sql } from 'kysely'
import { Unavailable } from '../http/errors.ts'
import { Limiter } from '../http/overload/limiter.ts'
import type { Tables } from '../resource/tables.ts'
import { databaseContext } from '../database/executor.ts'
import type { Isolation, Unit } from '../database/unit.ts'
import { replicasOf } from '../database/connect.ts'
import { hasState, SqlState } from '../database/sql-states.ts'
import { inTransaction } from '../database/transaction.ts'

interface SearchLimits {
  /** The size of the database's pool. Searches use a quarter of it at once, and at least one connection. */
  poolSize: number
  /** Milliseconds after which Postgres cancels a statement of a search. */
  statementTimeout: number
}

/** Guests can be any number of programs. Users have signed in, also those for whom a task works. */
type Caller = 'guest' | 'user'

const SHARE = 1 / 4
/** Further connections for searches of users when guests have taken all others, as a part of these. */
const RESERVE = 1 / 2
/** So many searches wait for each connection while searches are quick: they soon have their turn. */
const WAITING = 10
/** While searches are slow, a longer queue would only take the places of other requests. */
const WAITING_IF_SLOW = 2
/** Milliseconds after which a search is slow. */
const SLOW = 100
/** The most milliseconds that a search waits. */
const LONGEST_WAIT = 500

/**
 * The connections that searches may use at once, and two short queues in front of them: first in, first out, and those of
 * users before those of guests.
 */
export class SearchShare {
  readonly statementTimeout: number
  readonly #user: Limiter
  readonly #guest: Limiter
  /** When the running searches began, in this order. */
  readonly #running = new Set<{ readonly since: number }>()
  #lastDuration = 0

  constructor({ poolSize, statementTimeout }: SearchLimits, patience = LONGEST_WAIT) {
    this.statementTimeout = statementTimeout
    const guest = Math.max(1, Math.floor(poolSize * SHARE))
    // Other statements keep at least one connection.
    const user = guest + Math.min(Math.ceil(guest * RESERVE), Math.max(0, poolSize - guest - 1))
    const room = (places: number) => () => places * (this.#isSlow() ? WAITING_IF_SLOW : WAITING)
    this.#user = new Limiter({ places: () => user - this.#guest.inUse, room: room(user), patience })
    const guestPlaces = () => (this.#user.hasQueue ? 0 : guest - this.#user.inUse)
    this.#guest = new Limiter({ places: guestPlaces, room: room(guest), patience })
  }

  /** Calls `search` as soon as a connection of the share is free. Throws `Unavailable` instead of waiting long. */
  async run<Result>(search: () => Promise<Result>, caller: Caller = 'guest'): Promise<Result> {
    const limiter = caller === 'user' ? this.#user : this.#guest
    if (!limiter.tryAcquire()) await limiter.acquire(tooMany)
    const running = { since: performance.now() }
    this.#running.add(running)
    try {
      return await search()
    } finally {
      this.#running.delete(running)
      this.#lastDuration = performance.now() - running.since
      limiter.release()
      this.#user.admit()
      this.#guest.admit()
    }
  }

  #isSlow(): boolean {
    const [oldest] = this.#running
    return Math.max(this.#lastDuration, performance.now() - (oldest?.since ?? Infinity)) > SLOW
  }
}

const tooMany = () =>
  new Unavailable(
    'every connection for searches is in use',
    'Too many searches are running. Try again in a moment.',
  )

const tooSlow = () =>
  new Unavailable(
    'the search reached its time limit',
    'This search takes too long. Search for longer words, or for more of them.',
  )

const shares = new WeakMap<Kysely<Tables>, SearchShare>()

/**
 * Limits the searches of lists (`?q=`) and of reference fields in the requests of a database: they use a quarter of its
 * connections at once, and their statements have a timeout of their own. Other requests therefore never wait for
 * searches. Signed-in users have half as many further connections, and go before guests, so that guests can't take the
 * search away from them. Call it once, before the first request.
 *
 * A search that finds no free connection waits up to half a second. It throws an `Unavailable` (503) if it waits longer,
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
  const { db, unit } = databaseContext()
  const share = shares.get(db)
  const options = isolation === undefined ? {} : { isolation }
  if (share === undefined) return isolation === undefined ? search() : inTransaction(search, options)
  // Limits of the transaction, since a connection pooler may give the session to another process afterwards.
  const limited = async () => {
    await sql`set local statement_timeout = ${sql.lit(share.statementTimeout)}`.execute(databaseContext().db)
    return search()
  }
  try {
    return await share.run(() => inTransaction(limited, options), callerOf(unit))
  } catch (error) {
    throw hasState(error, SqlState.queryCanceled) ? tooSlow() : error
  }
}

const callerOf = ({ cause, isSignedIn }: Unit): Caller =>
  isSignedIn || cause.request === undefined ? 'user' : 'guest'
