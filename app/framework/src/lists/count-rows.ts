import { sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { anyTables } from '../database/statements.ts'
import type { Resource } from '../resource/resource.ts'
import { foundRows } from './found-rows.ts'
import type { ListOptions, ListSource, Query } from './list-source.ts'

/** How the rows of a list are counted: exactly, up to a cap, or not at all. */
export type CountMode = 'exact' | { readonly cap: number } | 'none'

/** Returns the most rows to count; `Infinity` without a cap. Throws a `RangeError` for an invalid cap. */
export function capOf(count: CountMode = 'exact'): number {
  if (typeof count === 'string') return Infinity
  if (Number.isSafeInteger(count.cap) && count.cap > 0) return count.cap
  throw new RangeError(`A cap must be a whole number from 1; got ${String(count.cap)}.`)
}

const COUNT = sql<string>`count(*)`.as('total')

/**
 * Returns the query for the number of rows, or for `most + 1` if there are more than `most`: it then reads at most
 * `most + 1` rows.
 */
export function countQuery<R extends Resource>(
  source: ListSource<R>,
  options: ListOptions<R>,
  most = Infinity,
): Query<{ total: string }> {
  if (most === Infinity) return source.narrowed(options).select(COUNT)
  const rows = source.narrowed(options).select(sql`1`.as('one'))
  const limited = (source.isSearch(options) ? foundRows(rows) : rows).limit(most + 1)
  return anyTables(executor()).selectFrom(limited.as('rows')).select(COUNT) as unknown as Query<{
    total: string
  }>
}

/** Returns the exact number of rows; with `most`, at most `most + 1`. */
export async function countRows<R extends Resource>(
  source: ListSource<R>,
  options: ListOptions<R>,
  most?: number,
): Promise<number> {
  const { total } = await countQuery(source, options, most).executeTakeFirstOrThrow()
  return exactCount(total)
}

/** Returns a count of Postgres as a number. Throws if it is too large to be represented exactly. */
export function exactCount(total: string): number {
  const count = Number(total)
  if (!Number.isSafeInteger(count))
    throw new RangeError(`The count ${total} is too large for an exact number, which is at most 2^53 - 1.`)
  return count
}
