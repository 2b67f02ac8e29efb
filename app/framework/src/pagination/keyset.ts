import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'

/** One column of a sort order. No two rows may have the same values in all columns of the order. */
export interface SortKey {
  readonly column: string
  readonly direction: 'asc' | 'desc'
  /** The position of rows with NULL in this column. Omitted for a column that is not nullable. */
  readonly nulls?: 'first' | 'last' | undefined
}

/** The position of a row in an order: the value of each key as Postgres converts it to text, or null. */
export type KeyValues = readonly (string | null)[]

type Condition = Expression<SqlBool>

/** Returns the reversed order. */
export const reversed = (keys: readonly SortKey[]): SortKey[] =>
  keys.map(({ direction, nulls, ...key }) => ({
    ...key,
    direction: direction === 'asc' ? 'desc' : 'asc',
    nulls: nulls && (nulls === 'first' ? 'last' : 'first'),
  }))

/** Appends the id in the direction of the last key. The id makes the order unique, so keys after it are removed. */
export function withId(keys: readonly SortKey[]): SortKey[] {
  const index = keys.findIndex(({ column }) => column === 'id')
  if (index >= 0) return keys.slice(0, index + 1)
  return [...keys, { column: 'id', direction: keys.at(-1)?.direction ?? 'desc' }]
}

/** Returns the text of `order by`, which is also the column list of a matching index: `created_at desc, id desc`. */
export const orderText = (keys: readonly SortKey[]): string =>
  keys.map((key) => `${key.column} ${directionText(key)}`).join(', ')

/** Returns one term of `order by`: `created_at desc`. */
export const orderTerm = (key: SortKey): RawBuilder<unknown> =>
  sql`${sql.ref(key.column)} ${sql.raw(directionText(key))}`

/** Returns the direction as SQL. Omits `nulls` if it is the default of Postgres, so that a plain index matches. */
function directionText({ direction, nulls }: SortKey): string {
  const usual = direction === 'asc' ? 'last' : 'first'
  return nulls === undefined || nulls === usual ? direction : `${direction} nulls ${nulls}`
}

/**
 * Returns the conditions for the rows strictly after a position. Each row matches at most one condition, and the
 * conditions are in the order of their rows. Each condition is one range of an index: a row comparison covers adjacent
 * keys with the same direction, and a change of direction or a nullable key requires another condition. If the
 * conditions were joined with OR, Postgres would read and discard the earlier rows, as with OFFSET.
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

/**
 * Returns a row comparison: `(created_at, id) < ($1, $2)`. For Postgres, it is one index condition. The values are not
 * cast, so that Postgres reads each as the type of its column: a cast to another type would round it.
 */
function compareRow(keys: readonly SortKey[], operator: '<' | '>', values: KeyValues): Condition {
  const columns = sql.join(keys.map(({ column }) => sql.ref(column)))
  const bounds = sql.join(keys.map((_key, index) => values[index] ?? null))
  return keys.length === 1
    ? sql<SqlBool>`${columns} ${sql.raw(operator)} ${bounds}`
    : sql<SqlBool>`(${columns}) ${sql.raw(operator)} (${bounds})`
}

/** Returns how many keys one row comparison covers: those with the direction of the first, up to a nullable key. */
function runLength([first, ...rest]: readonly SortKey[]): number {
  const end = rest.findIndex(({ direction, nulls }) => direction !== first?.direction || nulls !== undefined)
  return end < 0 ? rest.length + 1 : end + 1
}

/**
 * Returns the conditions for the rows after the position within the first run, the keys of one row comparison: rows
 * with later values, then rows with NULL if they are last.
 */
function further(run: readonly SortKey[], values: KeyValues): Condition[] {
  const [first] = run
  if (first === undefined) return []
  const column = sql.ref(first.column)
  if (values[0] === null) return first.nulls === 'first' ? [sql<SqlBool>`${column} is not null`] : []
  const after = [compareRow(run, first.direction === 'asc' ? '>' : '<', values)]
  return first.nulls === 'last' ? [...after, sql<SqlBool>`${column} is null`] : after
}

/** Returns a condition for each key: it has this value. */
export const equalTo = (run: readonly SortKey[], values: KeyValues): Condition[] =>
  run.map((key, index) =>
    values[index] === null
      ? sql<SqlBool>`${sql.ref(key.column)} is null`
      : sql<SqlBool>`${sql.ref(key.column)} = ${values[index]}`,
  )

const all = (conditions: readonly Condition[]): Condition => sql<SqlBool>`${sql.join(conditions, sql` and `)}`
