import { sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { anyTables } from '../database/statements.ts'
import type { Resource } from '../resource/resource.ts'
import { foundRows } from './found-rows.ts'
import type { ListOptions, ListSource } from './list-source.ts'

/** How the rows of a list are counted: exactly, up to a cap, or not at all. */
export type CountMode = 'exact' | { readonly cap: number } | 'none'

/** Returns the most rows to count; `Infinity` without a cap. Throws a `RangeError` for an invalid cap. */
export function capOf(count: CountMode = 'exact'): number {
  if (typeof count === 'string') return Infinity
  if (Number.isSafeInteger(count.cap) && count.cap > 0) return count.cap
  throw new RangeError(`A cap must be a whole number from 1; got ${String(count.cap)}.`)
}

const COUNT = sql<string>`count(*)`.as('total')

/** Returns the exact number of rows. */
export async function countRows<R extends Resource>(source: ListSource<R>, options: ListOptions<R>) {
  const { total } = await source.narrowed(options).select(COUNT).executeTakeFirstOrThrow()
  return exactCount(total)
}

/** Returns the number of rows, or `cap + 1` if there are more than `cap`. Reads at most `cap + 1` rows. */
export async function countRowsUpTo<R extends Resource>(
  source: ListSource<R>,
  options: ListOptions<R>,
  cap: number,
) {
  const rows = source.narrowed(options).select(sql`1`.as('one'))
  const limited = (source.isSearch(options) ? foundRows(rows) : rows).limit(cap + 1)
  const counted = anyTables(executor()).selectFrom(limited.as('rows')).select(COUNT)
  return exactCount((await counted.executeTakeFirstOrThrow()).total)
}

/** Returns a count of Postgres as a number. Throws if it is too large to be represented exactly. */
export function exactCount(total: string): number {
  const count = Number(total)
  if (!Number.isSafeInteger(count))
    throw new RangeError(`The count ${total} is too large for an exact number, which is at most 2^53 - 1.`)
  return count
}
