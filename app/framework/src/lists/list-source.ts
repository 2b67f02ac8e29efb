import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { SeenFields } from '../policy/field-access.ts'
import type { Narrowing } from '../policy/narrowing.ts'
import type { Isolation } from '../database/unit.ts'
import { type Reads, readingReplica } from '../database/read-replica.ts'
import { type Columns, rowColumns, seenColumns, type SeenIds } from '../rows/row-columns.ts'
import { readRow, withSeenLists } from '../rows/rows.ts'
import { withinSearchLimits } from './search-share.ts'
import { listMark } from '../database/query-marks.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  type AnyTables,
  narrowedBy,
  rowVersion,
  selectListed,
  type TrashFilter,
  IS,
} from '../rows/statements.ts'
import { tenantConditions } from '../rows/tenant.ts'
import { orderTerm, orderText, type SortKey } from '../pagination/keyset.ts'
import type { ListState } from '../pagination/list-state.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import type { ListQuery } from './list-query.ts'
import { filterConditions, narrows, stateOf, withoutColumns } from './list-conditions.ts'
import { NEWEST } from './list-order.ts'
import { orderOf } from './query-conditions.ts'
import { weakMemoize } from '../resource/memoize.ts'

export interface ListOptions<R extends Resource> {
  /** An additional condition, which is joined with AND. */
  where?: (is: ExpressionBuilder<Tables, R['table']>) => Expression<SqlBool>
  /** The sorting, search and filters of the request, as `listQuery` returns them. Conditions are joined with AND. */
  query?: ListQuery<R>
}

/** A query for rows of a list. */
export type Query<Row> = SelectQueryBuilder<AnyTables, 'row', Row>

/** The queries for the rows of a resource that a caller may see. Lists, pages and batches are based on them. */
export interface ListSource<R extends Resource> {
  readonly resource: R
  /** The columns of its rows. */
  readonly columns: Columns
  /**
   * Returns the shape of a statement in the order of the list: see `ListStatement`. `kind` identifies the statement. Null if
   * the columns depend on the caller.
   */
  shape(options: ListOptions<R>, kind: string): string | null
  /** Returns the condition of the scope and the options. */
  condition(options: ListOptions<R>): Expression<SqlBool>
  /**
   * Returns the query with the conditions of the scope and the options, without columns and order. A `condition` takes
   * their place.
   */
  narrowed(options: ListOptions<R>, condition?: Expression<SqlBool>): Query<object>
  /** Returns the query for all rows of the list's tenant, in the trash or not, that the scope lists or doesn't. */
  unscoped(): Query<object>
  /** Returns the narrowed query with all columns and the row's version, without an order. */
  rows(options: ListOptions<R>, condition?: Expression<SqlBool>): Query<Record<string, unknown>>
  /** Returns the query of `rows`, or another one for the same rows, in the requested order; newest first by default. */
  ordered<Row = Stored>(options: ListOptions<R>, rows?: Query<Row>): Query<Row>
  /** Returns whether the options search or filter the list: then its rows may be few, and are counted first. */
  isNarrowed(options: ListOptions<R>): boolean
  /**
   * Calls `read`, which may be called again: with a replica as its database if one may answer, within the limits of
   * searches if the options search the list, and in a transaction if `isolation` is set.
   */
  reading<Result>(
    options: ListOptions<R>,
    read: () => Promise<Result>,
    isolation?: Isolation,
  ): Promise<Result>
  /** Returns the requested order, or else that of the list. */
  order(options: ListOptions<R>): readonly SortKey[]
  /** Returns the order, the search and the filters of the rows, without the columns that the caller may not list by. */
  state(options: ListOptions<R>): ListState
  /** Runs a query with the columns of `rows` and returns its rows. */
  read(query: Query<Stored>): Promise<RowOf<R>[]>
  /** Returns the rows in the result of a query with the columns of `rows`, with their versions. */
  toRows(stored: readonly Stored[]): RowOf<R>[]
  /**
   * Returns rows without versions, which use less memory: to write one of them, load it again. They are not frozen, which
   * would take as long as reading them.
   */
  toManyRows(stored: Stored[]): RowOf<R>[]
  /** Returns the conditions of the options as SQL and values. They don't contain the scope of the caller. */
  filterText(options: ListOptions<R>): string
}

type Stored = Record<string, unknown>

/** The parts of a list besides its condition. */
export interface ListView {
  /** The condition of the list's tenant alone. Defaults to the tenant of the running code. */
  tenant?: Narrowing
  which?: TrashFilter
  fields?: SeenFields | undefined
  /** The ids that the caller sees in columns that joins store, if not all. */
  seen?: SeenIds | undefined
  reads?: Reads
  /** The order without a requested one. Defaults to newest first. */
  order?: readonly SortKey[]
}

/** Returns the condition of a list that no scope limits: the rows of the running code's tenant. */
export const allRows =
  (resource: Resource): Narrowing =>
  (is) => {
    const [condition = is.lit(true)] = tenantConditions(resource)
    return condition
  }

export function listSource<R extends Resource>(
  resource: R,
  visible: Narrowing,
  {
    tenant = allRows(resource),
    which = 'live',
    fields,
    seen: ids,
    reads = 'primary',
    order: byDefault = NEWEST,
  }: ListView = {},
): ListSource<R> {
  const unlisted = fields?.unlisted ?? []
  const seenLists = seenColumns(resource, ids)
  const listed = { unlisted, ...(ids && { seen: ids }) }
  const queryOf = ({ query }: ListOptions<R>) => withoutColumns(resource, query, unlisted)
  const order = (options: ListOptions<R>) => orderOf(resource, queryOf(options)) ?? byDefault
  const filters = (options: ListOptions<R>) =>
    filterConditions(resource, { where: options.where, query: queryOf(options) }, listed)
  const conditions = (options: ListOptions<R>) => [visible(IS), ...filters(options)]
  const narrowed = (options: ListOptions<R>, condition?: Expression<SqlBool>) =>
    narrowedBy(
      selectListed(resource, { which }).modifyFront(listMark()),
      condition === undefined ? conditions(options) : [condition],
    )
  const rows = (options: ListOptions<R>, condition?: Expression<SqlBool>) =>
    narrowed(options, condition).select([...rowColumns(resource), rowVersion(resource), ...seenLists])
  const seen = (rows: RowOf<R>[]) => (fields === undefined ? rows : rows.map(fields.rowOf))
  const toRows = (stored: readonly Stored[]) =>
    seen(stored.map((row) => withSeenLists(resource, readRow(resource, row), { stored: row, seen: ids })))
  return {
    resource,
    columns: [...rowColumns(resource), ...seenLists],
    shape: (options, kind) => (ids ? null : `${which} ${kind} ${orderText(order(options))}`),
    condition: (options) => IS.and(conditions(options)),
    narrowed,
    unscoped: () => narrowedBy(selectListed(resource, { which: 'all' }), [tenant(IS)]),
    rows,
    isNarrowed: (options) => narrows(queryOf(options)),
    reading: (options, read, isolation) =>
      readingReplica(reads, () => {
        if ((queryOf(options)?.q ?? '') !== '') return withinSearchLimits(read, isolation)
        return isolation === undefined ? read() : inTransaction(read, { isolation })
      }),
    order,
    state: (options) => stateOf(resource, { query: queryOf(options), order: order(options), unlisted }),
    ordered: <Row>(options: ListOptions<R>, query = rows(options) as Query<Row>) =>
      order(options).reduce((ordered, key) => ordered.orderBy(orderTerm(key)), query),
    read: async (query) => toRows(await query.execute()),
    toRows,
    toManyRows: (stored) =>
      seen(stored.map((row) => withSeenLists(resource, row, { stored: row, seen: ids })) as RowOf<R>[]),
    filterText(options) {
      const isWhole = options.where === undefined && !narrows(queryOf(options))
      return isWhole ? wholeText(resource) : textOf(narrowedBy(selectListed(resource), filters(options)))
    },
  }
}

/** Returns a query as SQL and values. */
function textOf(query: Query<object>): string {
  const { sql: text, parameters } = query.compile()
  return JSON.stringify([text, parameters], (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** Returns the text of a list without a filter, which most lists are. */
const wholeText = weakMemoize((resource: Resource) => textOf(selectListed(resource)))
