import { type Kysely, sql } from 'kysely'
import { constraintName } from '../rows/constraint-name.ts'
import { quotedTable } from '../rows/row-columns.ts'
import { listOrder } from '../lists/list-order.ts'
import type { SortKey } from '../pagination/keyset.ts'
import type { AnyRepository } from '../repository/repository.ts'
import type { Tables } from '../resource/tables.ts'
import type { DeclaredResource } from './declared-resources.ts'

/** An index that a list needs and the database lacks. */
export interface MissingIndex {
  /** `Lists of Post are searched by title, which has no index.` */
  readonly problem: string
  /**
   * The statements that create it while other statements read and write the table. Execute each by itself, outside of a
   * transaction: `['drop index concurrently posts_title_sort', 'create index concurrently posts_title_sort on …']`.
   */
  readonly remedies: readonly string[]
}

interface ListColumn {
  readonly repository: AnyRepository
  readonly column: string
  readonly use: 'search' | 'sort' | 'filter'
}

/**
 * Returns the missing index of each column that lists of these resources are searched, sorted or filtered by: a trigram
 * index for a search, an index of the column and the id for an order, any index of the column for a filter, and a GIN index
 * for a filter by an array. Those of columns with one value begin with the tenant if the resource has one. Skips tables and
 * columns that don't exist yet, and searches of columns that are not text. Doesn't check an `order` by several columns.
 * Costs one query.
 *
 * A remedy first drops the invalid index that a failed `create index concurrently` leaves. On a partitioned table, the
 * statements block writes, because Postgres can't create its indexes concurrently.
 */
export async function missingIndexes(
  declared: readonly DeclaredResource[],
  db: Kysely<Tables>,
): Promise<MissingIndex[]> {
  const columns = declared.flatMap(({ repository }) => listColumns(repository))
  const { rows } = await missing(columns).execute(db)
  return rows.map(({ position, remedies }) => {
    const { repository, column, use } = columns[Number(position) - 1]!
    const { resource, declaredAt } = repository
    return {
      problem: `${declaredAt}: lists of ${resource.name} are ${VERBS[use]} by ${column}, which has no index.`,
      remedies,
    }
  })
}

const VERBS = { search: 'searched', sort: 'sorted', filter: 'filtered' } as const

function listColumns(repository: AnyRepository): ListColumn[] {
  const { resource, options } = repository
  const { search, sort, filters } = resource.lists
  const ordered = [...new Set([...sort, ...walkedBy(listOrder(resource, options))])]
  const filtered = Object.keys(filters).filter((column) => !ordered.includes(column))
  return [
    ...search.map((column) => ({ repository, column, use: 'search' as const })),
    ...ordered.map((column) => ({ repository, column, use: 'sort' as const })),
    ...filtered.map((column) => ({ repository, column, use: 'filter' as const })),
  ]
}

/** Returns the first column of an order that needs no index but that of this column and the id. */
const walkedBy = ([first, second]: readonly SortKey[]): string[] =>
  first?.nulls === undefined && second?.column === 'id' && second.direction === first?.direction
    ? [first.column]
    : []

/** Reads which of the columns have no suitable index. An index of the live rows suits lists, which contain no others. */
const missing = (columns: readonly ListColumn[]) => sql<{ position: string; remedies: string[] }>`
  select position, array_remove(array[${CREATE_EXTENSION}, ${DROP}, ${CREATE}], null) as remedies
  from unnest(
    ${columns.map(({ repository }) => quotedTable(repository.resource.table))}::text[],
    ${columns.map(({ column }) => column)}::text[],
    ${columns.map(({ use }) => use)}::text[],
    ${columns.map(indexName)}::text[],
    ${columns.map(({ repository }) => repository.resource.managed.softDelete)}::boolean[],
    ${columns.map(({ repository }) => repository.resource.tenant)}::text[]
  ) with ordinality as list (name, attribute, use, index_name, is_soft, tenant, position)
  join pg_class on pg_class.oid = to_regclass(name) and relkind in ('r', 'p')
  join pg_attribute col on col.attrelid = pg_class.oid and attname = attribute and attnum > 0 and not attisdropped
  left join pg_attribute id on id.attrelid = pg_class.oid and id.attname = 'id'
  left join pg_attribute divided on divided.attrelid = pg_class.oid and divided.attname = tenant
  cross join lateral (select case when tenant is null then 0 else 1 end as first) as key
  where (use <> 'search' or ${IS_TEXT}) and not exists (
    select from pg_index join pg_class index on index.oid = indexrelid join pg_am on pg_am.oid = index.relam
    where indrelid = pg_class.oid and indisvalid
      and (indpred is null or is_soft and pg_get_expr(indpred, indrelid) = '(deleted_at IS NULL)')
      and case use when 'search' then ${HAS_TRIGRAMS} when 'sort' then ${IS_IN_ORDER} else ${BEGINS_WITH_IT} end)
  order by position`

const CREATE_EXTENSION = sql`
  case when use = 'search' and not exists (select from pg_extension where extname = 'pg_trgm')
    then 'create extension if not exists pg_trgm' end`

const CONCURRENTLY = sql`case pg_class.relkind when 'r' then ' concurrently' end`

const IS_ARRAY = sql`format_type(col.atttypid, null) like '%[]'`
const DROP = sql`(
  select format('drop index%s %s', ${CONCURRENTLY}, index.oid::regclass)
  from pg_index join pg_class index on index.oid = indexrelid
  where indrelid = pg_class.oid and index.relname = index_name and not indisvalid)`

const CREATE = sql`
  format('create index%s %I on %s using %s%s', ${CONCURRENTLY}, index_name, pg_class.oid::regclass,
    case when use = 'search' then format('gin (%I gin_trgm_ops)', attribute)
      when ${IS_ARRAY} then format('gin (%I)', attribute)
      else format('btree (%s)', concat_ws(', ', quote_ident(tenant), quote_ident(attribute), 'id')) end,
    case when is_soft then ' where deleted_at is null' end)`

const IS_TEXT = sql`col.atttypid in ('text'::regtype, 'varchar'::regtype) and col.attcollation = 'pg_catalog."default"'::regcollation`

const HAS_TRIGRAMS = sql`exists (
  select from unnest(indkey::int2[], indclass::oid[]) as key (number, class)
  join pg_opclass on pg_opclass.oid = key.class
  where key.number = col.attnum and opcname in ('gin_trgm_ops', 'gist_trgm_ops'))`

const BEGINS_WITH_IT = sql`case when ${IS_ARRAY} then amname = 'gin' and col.attnum = any(indkey)
  else amname = 'btree' and (tenant is null or indkey[0] = divided.attnum) and indkey[first] = col.attnum end`

// Bits of `indoption`: 0 is ascending with nulls last, and 3 is its reverse. Postgres reads an index in both directions.
// The order of a unique column without nulls is complete without the id. `first` is the column after the tenant.
const IS_IN_ORDER = sql`amname = 'btree' and (tenant is null or indkey[0] = divided.attnum)
  and indkey[first] = col.attnum and indcollation[first] = col.attcollation and indoption[first] in (0, 3)
  and (indnkeyatts = first + 1 and indisunique and col.attnotnull
    or indnkeyatts > first + 1 and indkey[first + 1] = id.attnum and indoption[first + 1] = indoption[first])`

const indexName = ({ repository, column, use }: ListColumn) =>
  constraintName(repository.resource.table.split('.').at(-1) ?? '', column, use)
