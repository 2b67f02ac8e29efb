import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'

/** One column of an order that no two rows share. */
export interface SortKey {
  readonly column: string
  readonly direction: 'asc' | 'desc'
  /** Where rows without a value stand. Omitted for a column that is not nullable. */
  readonly nulls?: 'first' | 'last' | undefined
  /** The type to cast the bound value to; defaults to the column's own type. */
  readonly type?: string | undefined
}

/** The place of a row in an order: the text of each key exactly as Postgres writes it, or null. */
export type KeyValues = readonly (string | null)[]

type Condition = Expression<SqlBool>

/** Returns the reversed order. */
export const reversed = (keys: readonly SortKey[]): SortKey[] =>
  keys.map(({ direction, nulls, ...key }) => ({
    ...key,
    direction: direction === 'asc' ? 'desc' : 'asc',
    nulls: nulls && (nulls === 'first' ? 'last' : 'first'),
  }))

/** `created_at desc, id desc`, for `order by` and for the index that serves it. */
export const orderText = (keys: readonly SortKey[]): string =>
  keys.map((key) => `${key.column} ${directionText(key)}`).join(', ')

/** One term of `order by`. */
export const orderTerm = (key: SortKey): RawBuilder<unknown> =>
  sql`${sql.ref(key.column)} ${sql.raw(directionText(key))}`

/** Nulls sort as the largest value by default, as in a plain index. */
function directionText({ direction, nulls }: SortKey): string {
  const usual = direction === 'asc' ? 'last' : 'first'
  return nulls === undefined || nulls === usual ? direction : `${direction} nulls ${nulls}`
}

/**
 * Returns the conditions for the rows strictly after a place, in the order of their rows. No row matches two of them.
 * Each is one range of an index: a row comparison while the directions agree, and one more condition for each change
 * of direction and for nulls. With OR instead, Postgres would filter, as slowly as with OFFSET.
 *
 * `created_at desc, id desc` → `(created_at, id) < ($1, $2)`
 */
export function conditionsAfter(keys: readonly SortKey[], values: KeyValues): Condition[] {
  const [first] = keys
  if (first === undefined) return []
  const run = values[0] === null ? 1 : runLength(keys)
  const equal = equalTo(keys.slice(0, run), values)
  const deeper = conditionsAfter(keys.slice(run), values.slice(run))
  return [...deeper.map((condition) => all([...equal, condition])), ...further(keys.slice(0, run), values)]
}

/** A row comparison, which is one index condition for several columns too: `(created_at, id) < ($1, $2)`. */
export function compareRow(
  keys: readonly Pick<SortKey, 'column' | 'type'>[],
  operator: '<' | '=' | '>',
  values: KeyValues,
): Condition {
  const columns = sql.join(keys.map(({ column }) => sql.ref(column)))
  const bounds = sql.join(keys.map((key, index) => bound(key, values[index])))
  return keys.length === 1
    ? sql<SqlBool>`${columns} ${sql.raw(operator)} ${bounds}`
    : sql<SqlBool>`(${columns}) ${sql.raw(operator)} (${bounds})`
}

/** How many keys one row comparison covers: those of one direction, up to the next column that may be empty. */
function runLength([first, ...rest]: readonly SortKey[]): number {
  const end = rest.findIndex(({ direction, nulls }) => direction !== first?.direction || nulls !== undefined)
  return end < 0 ? rest.length + 1 : end + 1
}

/** What comes after the place within the first run: larger values, then the empty ones where they stand last. */
function further(run: readonly SortKey[], values: KeyValues): Condition[] {
  const [first] = run
  if (first === undefined) return []
  const column = sql.ref(first.column)
  if (values[0] === null) return first.nulls === 'first' ? [sql<SqlBool>`${column} is not null`] : []
  const after = [compareRow(run, first.direction === 'asc' ? '>' : '<', values)]
  return first.nulls === 'last' ? [...after, sql<SqlBool>`${column} is null`] : after
}

const equalTo = (run: readonly SortKey[], values: KeyValues): Condition[] =>
  run.map((key, index) =>
    values[index] === null
      ? sql<SqlBool>`${sql.ref(key.column)} is null`
      : sql<SqlBool>`${sql.ref(key.column)} = ${bound(key, values[index])}`,
  )

const bound = ({ type }: Pick<SortKey, 'type'>, value: string | null | undefined): RawBuilder<unknown> =>
  type === undefined ? sql`${value}` : sql`${value}::${sql.raw(type)}`

const all = (conditions: readonly Condition[]): Condition => sql<SqlBool>`${sql.join(conditions, sql` and `)}`
