import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Narrowing } from '../authorization/scope.ts'
import { readRow } from '../database/rows.ts'
import { type AnyTables, LIST, rowVersion, selectFrom, type Which } from '../database/statements.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'

export interface ListOptions<R extends Resource> {
  /** Narrows the list further; AND-ed to what may be seen. */
  where?: (is: ExpressionBuilder<Tables, R['table']>) => Expression<SqlBool>
}

type Query<Row> = SelectQueryBuilder<AnyTables, 'row', Row>

/** What lists, pages and batches of a resource have in common: the rows that somebody may see. */
export interface ListSource<R extends Resource> {
  readonly resource: R
  /** The query without columns and order, narrowed to what may be seen and what was asked for. */
  narrowed(options: ListOptions<R>): Query<object>
  /** The same with the columns that `read` needs. */
  rows(options: ListOptions<R>): Query<Record<string, unknown>>
  read(query: Query<Record<string, unknown>>): Promise<RowOf<R>[]>
  /** What was asked for, as SQL and its values: equal for equal lists, whoever looks at them. */
  filterText(options: ListOptions<R>): string
}

export function listSource<R extends Resource>(
  resource: R,
  visible: Narrowing,
  which: Which = 'live',
): ListSource<R> {
  const asked = (query: Query<object>, { where }: ListOptions<R>) =>
    query.$if(where !== undefined, (all) => all.where((is) => is.parens((where as unknown as Narrowing)(is))))
  const narrowed = (options: ListOptions<R>) =>
    asked(selectFrom(resource, { which }).modifyFront(sql.raw(LIST)).where(visible), options)
  return {
    resource,
    narrowed,
    rows: (options) => narrowed(options).selectAll().select(rowVersion(resource)),
    read: async (query) => (await query.execute()).map((stored) => readRow(resource, stored)),
    filterText(options) {
      const { sql: text, parameters } = asked(selectFrom(resource), options).compile()
      return JSON.stringify([text, parameters])
    },
  }
}
