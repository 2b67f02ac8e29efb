import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Narrowing } from '../authorization/scope.ts'
import { readRow } from '../database/rows.ts'
import { type AnyTables, LIST, rowVersion, selectFrom } from '../database/statements.ts'
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
  /** The same, newest first. */
  ordered(options: ListOptions<R>): Query<Record<string, unknown>>
  read(query: Query<Record<string, unknown>>): Promise<RowOf<R>[]>
}

export function listSource<R extends Resource>(resource: R, visible: Narrowing): ListSource<R> {
  const narrowed = ({ where }: ListOptions<R>) =>
    selectFrom(resource)
      .modifyFront(sql.raw(LIST))
      .where(visible)
      .$if(where !== undefined, (query) =>
        query.where((is) => is.parens((where as unknown as Narrowing)(is))),
      )
  const rows = (options: ListOptions<R>) => narrowed(options).selectAll().select(rowVersion)
  return {
    resource,
    narrowed,
    rows,
    // Ids rise as rows are added: newest first, and the same order every time.
    ordered: (options) => rows(options).orderBy('id', 'desc'),
    read: async (query) => (await query.execute()).map((stored) => readRow(resource, stored)),
  }
}
