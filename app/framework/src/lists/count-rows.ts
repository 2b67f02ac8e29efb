import { sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { anyTables } from '../database/statements.ts'
import type { Resource } from '../resource/resource.ts'
import type { ListOptions, ListSource } from './list-source.ts'

/** How the rows of a list are counted: all of them, up to a number, or not at all. */
export type CountMode = 'exact' | { readonly cap: number } | 'none'

const COUNT = sql<string>`count(*)`.as('total')

/** Every row of a list. */
export async function countRows<R extends Resource>(source: ListSource<R>, options: ListOptions<R>) {
  const { total } = await source.narrowed(options).select(COUNT).executeTakeFirstOrThrow()
  return exactCount(total)
}

/** The rows of a list, or `cap + 1` where there are more than `cap`: no further row is looked at. */
export async function countRowsUpTo<R extends Resource>(
  source: ListSource<R>,
  options: ListOptions<R>,
  cap: number,
) {
  const some = source
    .narrowed(options)
    .select(sql`1`.as('one'))
    .limit(cap + 1)
  const counted = anyTables(executor()).selectFrom(some.as('some')).select(COUNT)
  return exactCount((await counted.executeTakeFirstOrThrow()).total)
}

/** A count as Postgres sends it. Throws for one beyond 2^53, which a number would round. */
export function exactCount(total: string): number {
  const count = Number(total)
  if (!Number.isSafeInteger(count)) throw new RangeError(`A count of ${total} is beyond 2^53.`)
  return count
}
