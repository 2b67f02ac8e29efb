import { type Kysely, type OperationNode, type RawBuilder, SelectQueryNode, sql } from 'kysely'
import { nullableColumns } from '../rows/nullable-columns.ts'
import { currentDatabaseContext } from '../database/executor.ts'
import { listMark } from '../database/query-marks.ts'
import { isDataException } from '../database/sql-states.ts'
import { resourceOfTable } from '../resource/references.ts'
import type { Tables } from '../resource/tables.ts'
import { type CursorList, type CursorWalk, nullableKey } from './cursor-slice.ts'
import type { TokenPlace } from './cursor-token.ts'
import { columnsNamed, type QueryColumn } from './query-columns.ts'
import { weakMemoize } from '../resource/memoize.ts'

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

/** Throws if a key is a column that no row of its resource contains. */
export function rejectHiddenKeys({ name, keys }: CursorWalk, node: OperationNode): void {
  for (const key of keys) {
    const found = columnsNamed(node, key.column)
    const isUnseen = ({ table, column }: QueryColumn) => {
      const { columns, hidden = [] } = resourceOfTable(table) ?? {}
      // A name without a table may be a column of another table of the query.
      return hidden.includes(column) || (found.length === 1 && columns?.includes(column) === false)
    }
    if (found.some(isUnseen))
      throw new Error(
        `${name}: no row contains '${key.column}', and a cursor would show it. Order by another column.`,
      )
  }
}

/** The keys of a database that were checked, so that later pages cost no query: at most `MOST_CHECKED` orders. */
const checkedKeys = weakMemoize((_db: object) => new Set<string>())
const MOST_CHECKED = 1_000

/**
 * Throws if a key without declared `nulls` may be null, because pages would skip its rows. Costs one query for each
 * order of a table in this process, in each database. Keys that are expressions are checked by `readSlice`.
 */
export async function rejectNullableKeys(list: CursorList): Promise<void> {
  const { name, keys, checkedAs } = list
  const checked = checkedIn(currentDatabaseContext())
  if (checkedAs !== undefined && checked.has(checkedAs)) return
  const node = list.query().toOperationNode()
  const columns = keys
    .filter(({ nulls }) => nulls === undefined)
    .flatMap((key) => columnsNamed(node, key.column).map((column) => ({ ...column, key: key.column })))
  const optional = columns.find(({ isOptional }) => isOptional)
  if (optional !== undefined) throw nullableKey(name, optional.key)
  const text = checkedAs ?? JSON.stringify(columns)
  const db = currentDatabaseContext()?.db
  if (columns.length === 0 || db === undefined || checked.has(text)) return
  const [nullable] = await nullableColumns(columns, db)
  if (nullable !== undefined) throw nullableKey(name, nullable.key)
  if (checked.size >= MOST_CHECKED) checked.clear()
  checked.add(text)
}

const checkedIn = (place: ReturnType<typeof currentDatabaseContext>): Set<string> =>
  place === undefined ? new Set() : checkedKeys(place.unit.db)

/**
 * Returns whether Postgres accepts the values of a token. Inside of a transaction, this is checked before the page is
 * read, because an error would abort the transaction. Elsewhere it returns true, and costs no query.
 */
export async function acceptsPlace({ keys, query }: CursorList, place: TokenPlace): Promise<boolean> {
  const { db } = currentDatabaseContext() ?? {}
  if (place === null || db?.isTransaction !== true) return true
  const checks = place.flatMap((value, index) =>
    typeof value === 'string' ? [isReadable(value, alias(index))] : [],
  )
  if (checks.length === 0) return true
  // The list has one row of nulls, so that this reads no table. It only has the types of the keys.
  const types = query()
    .modifyFront(listMark())
    .select(keys.map(({ column }, index) => sql.ref(column).as(alias(index))))
    .limit(0)
  const accepts = sql<{ accepts: boolean }>`
    select ${sql.join(checks, sql` and `)} as accepts
    from (values (1)) as one (n) left join ${types} as types on true`
  const [row] = await rowsUnlessInvalid(accepts, db)
  return row?.accepts === true
}

/** True, or an error of Postgres if the value has not the type of the key. */
const isReadable = (value: string, key: string) => sql`(${sql.ref(`types.${key}`)} = ${value}) is null`

/**
 * Returns the rows, or none if a value is invalid. The read is always rolled back, by a statement that is sent with it:
 * concurrent statements of the transaction neither fail by its error nor are rolled back.
 */
async function rowsUnlessInvalid<Row>(query: RawBuilder<Row>, db: Kysely<Tables>): Promise<Row[]> {
  const [begun, read] = await Promise.allSettled([
    sql`savepoint cursor_values`.execute(db),
    query.execute(db),
    sql`rollback to savepoint cursor_values`.execute(db),
    sql`release savepoint cursor_values`.execute(db),
  ])
  if (begun.status === 'rejected') throw begun.reason
  if (read.status === 'fulfilled') return read.value.rows
  if (isDataException(read.reason)) return []
  throw read.reason
}

const alias = (index: number) => `key${index}`
