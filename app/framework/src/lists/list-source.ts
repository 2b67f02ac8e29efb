import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Narrowing } from '../authorization/scope.ts'
import { readRow } from '../database/rows.ts'
import { listMark } from '../database/query-marks.ts'
import { type AnyTables, rowVersion, selectFrom, type Which } from '../database/statements.ts'
import { orderTerm } from '../pagination/keyset.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import type { ListQuery } from './list-query.ts'
import { matching, orderOf } from './query-conditions.ts'

export interface ListOptions<R extends Resource> {
  /** An additional condition, which is joined with AND. */
  where?: (is: ExpressionBuilder<Tables, R['table']>) => Expression<SqlBool>
  /** The sorting, search and filters of the request, as `listQuery` returns them. Conditions are joined with AND. */
  query?: ListQuery<R>
}

type Query<Row> = SelectQueryBuilder<AnyTables, 'row', Row>

/** The queries for the rows of a resource that a caller may see. Lists, pages and batches are based on them. */
export interface ListSource<R extends Resource> {
  readonly resource: R
  /** Returns the query with the conditions of the scope and the options, without columns and order. */
  narrowed(options: ListOptions<R>): Query<object>
  /** Returns the narrowed query with all columns and the row's version, without an order. */
  rows(options: ListOptions<R>): Query<Record<string, unknown>>
  /** Returns the query of `rows` in the requested order; newest first by default. */
  ordered(options: ListOptions<R>): Query<Record<string, unknown>>
  /** Runs a query with the columns of `rows` and returns its rows. */
  read(query: Query<Record<string, unknown>>): Promise<RowOf<R>[]>
  /** Returns the conditions of the options as SQL and values. They don't contain the scope of the caller. */
  filterText(options: ListOptions<R>): string
}

/** The condition of a list that is not limited by a scope. */
export const allRows: Narrowing = (is) => is.lit(true)

export function listSource<R extends Resource>(
  resource: R,
  visible: Narrowing,
  which: Which = 'live',
): ListSource<R> {
  const filtered = (all: Query<object>, { where, query }: ListOptions<R>) =>
    all
      .$if(where !== undefined, (some) => some.where((is) => is.parens((where as unknown as Narrowing)(is))))
      .$if(narrows(query as ListQuery | undefined), (some) =>
        some.where(matching(resource, query as ListQuery)),
      )
  const narrowed = (options: ListOptions<R>) =>
    filtered(selectFrom(resource, { which }).modifyFront(listMark()).where(visible), options)
  const rows = (options: ListOptions<R>) => narrowed(options).selectAll().select(rowVersion(resource))
  return {
    resource,
    narrowed,
    rows,
    ordered: (options) =>
      orderOf(resource, options.query as ListQuery | undefined).reduce(
        (query, key) => query.orderBy(orderTerm(key)),
        rows(options),
      ),
    read: async (query) => (await query.execute()).map((stored) => readRow(resource, stored)),
    filterText(options) {
      const { sql: text, parameters } = filtered(selectFrom(resource), options).compile()
      return JSON.stringify([text, parameters], (_name, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      )
    },
  }
}

/** Returns whether a query has a search or filters. Otherwise it must not change the SQL and thus `filterText`. */
const narrows = (query: ListQuery | undefined) =>
  query !== undefined && (query.q !== '' || Object.keys(query.filters).length > 0)
