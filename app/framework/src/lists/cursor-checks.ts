import { type OperationNode, SelectQueryNode, sql } from 'kysely'
import { columnFacts } from '../database/column-facts.ts'
import { currentPlace } from '../database/executor.ts'
import { listMark } from '../database/query-marks.ts'
import type { SortKey } from '../pagination/keyset.ts'
import type { Placed, SliceQuery } from './cursor-slice.ts'
import type { TokenPlace } from './cursor-token.ts'
import { columnsNamed } from './query-columns.ts'

interface CheckedList {
  readonly name: string
  readonly keys: readonly SortKey[]
  readonly query: () => SliceQuery
  readonly checkedAs?: string
}

/** Throws if a query has a clause with which its cursor pages would be wrong. */
export function rejectOwnOrder(name: string, query: OperationNode): void {
  if (!SelectQueryNode.is(query)) return
  const clauses = {
    'order by': query.orderBy,
    limit: query.limit,
    offset: query.offset,
    fetch: query.fetch,
    union: query.setOperations,
  }
  const own = Object.entries(clauses).find(([, clause]) => clause !== undefined)
  if (own !== undefined)
    throw new Error(
      `The query of '${name}' has its own ${own[0]}. Remove it, or wrap the query in a subquery: selectFrom(query.as('rows')).`,
    )
}

/** The keys of a database that were checked, so that later pages cost no query: at most `MOST_CHECKED` orders. */
const checkedKeys = new WeakMap<object, Set<string>>()
const MOST_CHECKED = 1_000

/**
 * Throws if a key without declared `nulls` may be null, because pages would skip its rows. Costs one query for each
 * order of a table in this process, in each database. Keys that are expressions are checked by `rejectNulls`.
 */
export async function rejectNullableKeys(list: CheckedList): Promise<void> {
  const { name, keys, checkedAs } = list
  const checked = checkedIn(currentPlace())
  if (checkedAs !== undefined && checked.has(checkedAs)) return
  const node = list.query().toOperationNode()
  const columns = keys
    .filter(({ nulls }) => nulls === undefined)
    .flatMap((key) => columnsNamed(node, key.column).map((column) => ({ ...column, key: key.column })))
  const optional = columns.find(({ isOptional }) => isOptional)
  if (optional !== undefined) throw nullableKey(name, optional.key)
  const text = checkedAs ?? JSON.stringify(columns)
  const db = currentPlace()?.db
  if (columns.length === 0 || db === undefined || checked.has(text)) return
  const facts = await columnFacts(columns, db)
  const nullable = columns.find((_column, index) => facts[index]?.isNullable === true)
  if (nullable !== undefined) throw nullableKey(name, nullable.key)
  if (checked.size >= MOST_CHECKED) checked.clear()
  checked.add(text)
}

function checkedIn(place: ReturnType<typeof currentPlace>): Set<string> {
  if (place === undefined) return new Set()
  const checked = checkedKeys.get(place.unit.db) ?? new Set()
  checkedKeys.set(place.unit.db, checked)
  return checked
}

/** Throws if a row has NULL in a key without declared `nulls`. */
export function rejectNulls({ name, keys }: Omit<CheckedList, 'query'>, rows: readonly Placed[]): void {
  const nullable = keys.find(
    ({ nulls }, index) => nulls === undefined && rows.some(({ place }) => place[index] === null),
  )
  if (nullable !== undefined) throw nullableKey(name, nullable.column)
}

const nullableKey = (name: string, column: string) =>
  new Error(
    `The cursor pages of ${name} are ordered by ${column}, which may be null. ` +
      `Make it not null, or declare where its nulls are: '${column} nulls last' in an order, nulls: 'last' in keys.`,
  )

/**
 * Returns whether Postgres accepts the values of a token. Inside of a transaction, this is checked before the page is
 * read, because an error would abort the transaction. Elsewhere it returns true, and costs no query. Postgres 15 lacks
 * the function for it.
 */
export async function acceptsPlace({ keys, query }: CheckedList, place: TokenPlace): Promise<boolean> {
  const { db, unit } = currentPlace() ?? {}
  if (place === null || unit === undefined || db?.isTransaction !== true) return true
  // The list has one row of nulls, so that this reads no table. It only has the types of the keys.
  const types = query()
    .modifyFront(listMark())
    .select(keys.map(({ column }, index) => sql.ref(column).as(alias(index))))
    .limit(0)
  const checks = place.flatMap((value, index) =>
    typeof value === 'string'
      ? [sql`pg_input_is_valid(${value}, pg_typeof(${sql.ref(`types.${alias(index)}`)})::text)`]
      : [],
  )
  if (checks.length === 0 || !(await hasInputCheck(db, unit))) return true
  const { rows } = await sql<{ accepts: boolean }>`
    select ${sql.join(checks, sql` and `)} as accepts
    from (values (1)) as one (n) left join ${types} as types on true`.execute(db)
  return rows[0]?.accepts === true
}

const alias = (index: number) => `key${index}`

/** By database, since the shards of an application may have other versions of Postgres. */
const inputChecks = new WeakMap<object, boolean>()

async function hasInputCheck(
  db: Parameters<typeof columnFacts>[1],
  { db: own }: { readonly db: object },
): Promise<boolean> {
  const known = inputChecks.get(own)
  if (known !== undefined) return known
  const { rows } = await sql<{ exists: boolean }>`
    select to_regproc('pg_catalog.pg_input_is_valid') is not null as exists`.execute(db)
  const exists = rows[0]?.exists === true
  inputChecks.set(own, exists)
  return exists
}
