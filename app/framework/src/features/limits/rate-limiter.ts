import { CompiledQuery, type Kysely } from 'kysely'
import type { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { executor, databaseContext, withDatabase } from '../../database/executor.ts'
import { HttpError, TooManyRequests, Unavailable } from '../../http/errors.ts'
import { loadRateLimiter } from '../../http/server-packages.ts'
import type { Rate } from '../../http/settings.ts'
import { weakMemoize } from '../../resource/memoize.ts'
import type { Tables } from '../../resource/tables.ts'
import { type Counted, Counter } from './counter.ts'

/** Counts requests by key, for all processes together. */
export interface RateLimiter {
  /**
   * Counts a request, with one statement for all of the key at the same moment. It is not part of an open transaction,
   * whose rollback would undo it. Throws `TooManyRequests` beyond the rate, and `Unavailable` if the database fails.
   * `onBlock` is called for the first rejected request of a window; with `blocks`, in each process.
   */
  count(key: string, onBlock?: () => void | Promise<void>): Promise<void>
  /** Takes back one counted request. A key beyond its rate stays there, so that `onBlock` is called once. */
  forgive(key: string): Promise<void>
  /** Forgets all counted requests of a key. */
  reset(key: string): Promise<void>
}

/**
 * Returns a counter for `rate`. `name` is the counted action, and part of the key in the table `rate_limits`.
 *
 * With `blocks`, this process rejects a key that is beyond its rate until the window ends, without a statement. While it
 * has seen less than half of the rate, it counts up to nine requests ahead, so that most requests of a busy key cost no
 * statement: of p processes, p - 1 may each have nine left when the key is rejected. More than the rate is never allowed.
 * Don't combine it with `forgive` and `reset`.
 *
 * ```ts
 * const exports = rateLimiter('export', { requests: 5, seconds: 3_600 })
 * await exports.count(`user ${userId}`)
 * ```
 */
export function rateLimiter(name: string, rate: Rate, { blocks = false } = {}): RateLimiter {
  checkRate(rate)
  // The units that the processes count ahead must be a small part of the rate.
  const most = blocks ? Math.min(9, Math.floor(rate.requests / 12)) : 0
  // By database: the key of a user is that of another user in another shard.
  const countersOf = weakMemoize((db: Kysely<Tables>) => {
    const store = newStore(name, rate, blocks)
    /** Calls `work` in a unit of its own, because a statement counts the requests of several. */
    const within = <Result>(work: (own: RateLimiterPostgres) => Promise<Result>) =>
      withDatabase(db, () => work(store))
    const ahead = (consumed: number) => (consumed * 2 < rate.requests ? most : 0)
    const counter = new Counter((key, requests) => within((own) => consume(own, key, requests)), ahead)
    counters.add(counter)
    return { within, counter }
  })
  const here = () => countersOf(databaseContext().unit.db)
  return {
    async count(key, onBlock) {
      const { position, msBeforeNext, isFirst } = await here().counter.count(key)
      if (position <= rate.requests) return
      // The first position beyond the rate may be one that a process counted ahead and didn't use. Those that this process
      // rejects without a statement are infinite.
      const isNew = position === rate.requests + 1 || (blocks && isFirst && Number.isFinite(position))
      if (isNew) await onBlock?.()
      throw new TooManyRequests(Math.max(1, Math.ceil(msBeforeNext / 1_000)))
    },
    forgive: (key) =>
      here().within(async (store) => {
        const counted = await store.get(key)
        if (counted !== null && counted.consumedPoints <= rate.requests) await store.reward(key)
      }),
    reset: (key) => here().within(async (store) => void (await store.delete(key))),
  }
}

function checkRate({ requests, seconds }: Rate): void {
  const isValid = [requests, seconds].every((value) => Number.isInteger(value) && value > 0)
  if (!isValid)
    throw new Error(`A limit of ${requests} requests in ${seconds} seconds. Use whole numbers from 1.`)
}

declare module 'pergola' {
  interface Tables {
    /** The counters, by key. `expire` is in milliseconds since 1970. */
    rate_limits: { key: string; points: number; expire: string | null }
  }
}

const stores = new Set<RateLimiterPostgres>()
const counters = new Set<Counter>()

function newStore(name: string, { requests, seconds }: Rate, blocks: boolean): RateLimiterPostgres {
  const { RateLimiterPostgres } = loadRateLimiter()
  const store = new RateLimiterPostgres({
    storeClient: client,
    storeType: 'client',
    tableName: 'rate_limits',
    // The table comes from a migration, and a task deletes expired rows.
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points: requests,
    duration: seconds,
    // The first rejected request is counted in the table too: `count` recognizes it by this count.
    // The keys that this process blocks are in memory until their window ends. Each was counted `requests` + 1 times before.
    ...(blocks && { inMemoryBlockOnConsumed: requests + 1 }),
  })
  stores.add(store)
  return store
}

/** Sends statements with the connections of the request. Ignores the names of the library, since the session gives its own. */
const client = {
  async query({ text, values }: { text: string; values: unknown[] }) {
    const { rows } = await executor().executeQuery(CompiledQuery.raw(text, values))
    return { rows, rowCount: rows.length }
  },
}

/** Counts requests. Throws without a database: nothing is counted then, so that the requests are refused. */
async function consume(store: RateLimiterPostgres, key: string, requests: number): Promise<Counted> {
  try {
    return await store.consume(key, requests)
  } catch (rejection) {
    if (!isResult(rejection)) throw rejection instanceof HttpError ? rejection : new Unavailable(rejection)
    // The library returns no count for a key that this process blocks.
    const { consumedPoints, msBeforeNext } = rejection
    return { consumedPoints: consumedPoints === 0 ? Infinity : consumedPoints, msBeforeNext }
  }
}

const isResult = (rejection: unknown): rejection is RateLimiterRes =>
  typeof rejection === 'object' && rejection !== null && 'msBeforeNext' in rejection

/** Makes this process read all counters from the table again. */
export function forgetBlockedKeys(): void {
  for (const store of stores) store.deleteInMemoryBlockedAll()
  for (const counter of counters) counter.forget()
}
