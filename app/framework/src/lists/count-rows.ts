import { type RawBuilder, sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { anyTables } from '../rows/statements.ts'
import type { Resource } from '../resource/resource.ts'
import { foundRows } from './found-rows.ts'
import type { ListOptions, ListSource, Query } from './list-source.ts'

/** How the rows of a list are counted: exactly, up to a cap, or not at all. */
export type CountMode = 'exact' | { readonly cap: number } | 'none'

/** Returns the most rows to count; `Infinity` without a cap. Throws a `RangeError` for an invalid mode. */
export function capOf(count: CountMode = 'exact'): number {
  if (count === 'exact' || count === 'none') return Infinity
  const { cap } = Object(count) as { cap?: number }
  if (cap !== undefined && Number.isSafeInteger(cap) && cap > 0) return cap
  throw new RangeError(
    `A list is counted 'exact', 'none' or up to a whole number from 1, as { cap: 1_000 }; got ${JSON.stringify(count)}.`,
  )
}

const COUNT = sql<string>`count(*)`.as('total')

/** Returns the query for the number of rows. With a `limit`, it reads and counts at most this number. */
export function countQuery(
  rows: Query<object>,
  limit?: number | RawBuilder<number>,
  found = <Row>(same: Query<Row>) => same,
): Query<{ total: string }> {
  if (limit === undefined) return rows.select(COUNT)
  const limited = found(rows.select(sql`1`.as('one'))).limit(limit)
  return anyTables(executor()).selectFrom(limited.as('rows')).select(COUNT) as unknown as Query<{
    total: string
  }>
}

/** Returns the exact number of rows; with `most`, at most `most + 1`. */
export async function countRows<R extends Resource>(
  source: ListSource<R>,
  options: ListOptions<R>,
  most = Infinity,
): Promise<number> {
  const limit = most === Infinity ? undefined : most + 1
  const count = countQuery(
    source.narrowed(options),
    limit,
    source.isNarrowed(options) ? foundRows : undefined,
  )
  const { total } = await count.executeTakeFirstOrThrow()
  return exactCount(total)
}

/** Returns a count of Postgres as a number. Throws if it is too large to be represented exactly. */
export function exactCount(total: string): number {
  const count = Number(total)
  if (!Number.isSafeInteger(count))
    throw new RangeError(`The count ${total} is too large for an exact number, which is at most 2^53 - 1.`)
  return count
}
