import { type Expression, sql, type SqlBool } from 'kysely'
import { IS } from '../rows/statements.ts'
import { type SortKey, withId } from '../pagination/keyset.ts'
import { type FilterKind, filterKind, type Range } from '../resource/list-filters.ts'
import type { Resource } from '../resource/resource.ts'
import type { SeenIds } from '../rows/row-columns.ts'
import type { RecordId } from '../resource/tables.ts'
import type { ListQuery } from './list-query.ts'

type AnyQuery = ListQuery & { readonly filters: Readonly<Record<string, unknown>> }

/**
 * Returns the conditions of a query: one of the searched columns contains each word, and each filter matches. Throws
 * for a filter that the resource doesn't declare. Doesn't search the `unlisted` columns.
 */
export function matching(
  { name, lists, joins, table }: Resource,
  { q, filters }: AnyQuery,
  { unlisted = [], seen = {} }: ListedColumns = {},
): Expression<SqlBool> {
  const searched = lists.search.filter((column) => !unlisted.includes(column))
  const filterConditions = Object.entries(filters).map(([column, value]) => {
    const filter = Object.hasOwn(lists.filters, column) ? lists.filters[column] : undefined
    if (filter === undefined) throw undeclared(name, 'filtered', column)
    const join = joins[column]
    const condition = 'condition' in filter ? filter.condition : undefined
    if (join === undefined) return (condition ?? CONDITIONS[filterKind(filter)])(column, value)
    const given = [value].flat()
    const ids = idsIn(given, seen[column])
    return filterKind(filter) === 'all' ? join.hasAll(table, ids, given.length) : join.has(table, ids)
  })
  return IS.and([...containing(searched, q), ...filterConditions])
}

/** The limits of a caller in the columns of a list. */
export interface ListedColumns {
  /** The columns by which the list can't be searched and filtered. */
  readonly unlisted?: readonly string[]
  /** The ids by which it can be filtered. */
  readonly seen?: SeenIds
}

const idsIn = (ids: readonly unknown[], seen: SeenIds[string] | undefined): Expression<unknown> =>
  seen === undefined ? sql`(${sql.join(ids)})` : seen.where('id', 'in', ids as readonly RecordId[])

type Condition = (column: string, value: unknown) => Expression<SqlBool>

const isValue: Condition = (column, value) => IS(column, value === null ? 'is' : '=', operand(value))

const CONDITIONS: Readonly<Record<FilterKind, Condition>> = {
  all: (column, value) => IS.and((value as readonly unknown[]).map((one) => isValue(column, one))),
  one: isValue,
  several(column, value) {
    const values = value as readonly unknown[]
    // `in` doesn't match NULL.
    const filled = values.filter((one) => one !== null)
    const oneOf = IS(column, 'in', filled.map(operand))
    return filled.length === values.length ? oneOf : IS.or([oneOf, isValue(column, null)])
  },
  range(column, value) {
    const { from, to } = value as Range<unknown>
    return IS.and([
      ...(from === undefined ? [] : [IS(column, '>=', operand(from))]),
      ...(to === undefined ? [] : [IS(column, '<=', operand(to))]),
    ])
  },
}

/** Returns a condition for each word: one of the columns contains it. */
export const containing = (columns: readonly string[], words: string): Expression<SqlBool>[] =>
  words === '' ? [] : words.split(' ').map((word) => IS.or(columns.map((column) => contains(column, word))))

/** Searches a column as text with the database's collation, so that it works for columns of all types and collations. */
const contains = (column: string, word: string) =>
  sql<boolean>`${sql.ref(column)}::text collate "default" ilike ${`%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`

/** Casts a number to a wider type. A number beyond the column's range then matches no row instead of failing. */
function operand(value: unknown): unknown {
  if (typeof value === 'bigint') return sql`${String(value)}::numeric`
  if (typeof value !== 'number') return value
  return Number.isSafeInteger(value) ? sql`${value}::bigint` : sql`${value}::float8`
}

/**
 * Returns the requested order or null. It is followed by the id in the direction of the last column to make it unique. Nulls sort as
 * the largest value, which is Postgres's default: one index serves both directions. Throws for a column that the
 * resource doesn't declare.
 */
export function orderOf({ name, lists }: Resource, query?: ListQuery): SortKey[] | null {
  if (query === undefined || query.sort === null) return null
  const terms = [{ column: query.sort, dir: query.dir }, ...(query.thenBy ?? [])]
  const unknown = terms.find(({ column }) => !lists.sort.includes(column))
  if (unknown !== undefined) throw undeclared(name, 'sorted', unknown.column)
  return withId(
    terms.map(({ column, dir }) => ({
      column,
      direction: dir,
      ...(column !== 'id' && { nulls: dir === 'asc' ? 'last' : 'first' }),
    })),
  )
}

const undeclared = (resource: string, operation: string, column: string) =>
  new Error(`${resource}: lists can’t be ${operation} by '${column}'. Declare it in the resource first.`)
