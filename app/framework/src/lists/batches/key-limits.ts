import { type Expression, sql, type SqlBool } from 'kysely'
import { selectFrom } from '../../database/statements.ts'
import type { Resource } from '../../resource/resource.ts'
import { checkBounds, checkUniqueKey } from './key-checks.ts'
import { boundOf, compare, keyOf, type KeyText } from './walk-key.ts'
import type { KeyRangeOptions } from './batch-options.ts'

/** The bounds of a walk; null if it is open. */
export interface Limits {
  readonly start: KeyText | null
  readonly after: KeyText | null
  readonly until: KeyText | null
}

/** Reads the bounds. Throws unless each has one value for each column. */
export function limitsOf<R extends Resource>(columns: readonly string[], range: KeyRangeOptions<R>): Limits {
  const bound = (name: 'start' | 'after' | 'until') => {
    const key = range[name]
    return key === undefined ? null : boundOf(columns, key)
  }
  return { start: bound('start'), after: bound('after'), until: bound('until') }
}

export function conditions(columns: readonly string[], limits: Limits): Expression<SqlBool>[] {
  const { start, after, until } = limits
  return [
    ...(start === null ? [] : [compare(columns, '>=', start)]),
    ...(after === null ? [] : [compare(columns, '>', after)]),
    ...(until === null ? [] : [compare(columns, '<=', until)]),
  ]
}

/**
 * Checks in the database that the order is a unique key, and that each bound is a value of it. Sends no query for a
 * plain walk by id.
 */
export async function checkLimits<R extends Resource>(
  resource: R,
  columns: readonly string[],
  { order, bounds }: { order: KeyRangeOptions<R>['order']; bounds: readonly (KeyText | null)[] },
): Promise<void> {
  if (order !== undefined) await checkUniqueKey(resource, columns)
  const given = bounds.filter((key) => key !== null)
  if (given.length > 0) await checkBounds(resource, columns, given)
}

/** Returns the first or the last key of the whole table, from its index; null if the table is empty. */
export async function outermostKey(
  resource: Resource,
  columns: readonly string[],
  direction: 'asc' | 'desc',
): Promise<KeyText | null> {
  const found = await columns
    .reduce(
      (query, column) => query.orderBy(column, direction),
      selectFrom(resource, { which: 'all' }).select([...columns]),
    )
    .limit(sql.lit(1))
    .executeTakeFirst()
  return found === undefined ? null : keyOf(columns, found)
}
