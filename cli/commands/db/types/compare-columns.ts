import { type Assertion, failedAssertions } from './assertions.ts'
import type { StoredColumn } from './stored-columns.ts'
import { typeOfColumn } from './type-of-column.ts'

/** A difference between the `Tables` of the code and the tables of the database. */
export interface TypeDifference {
  readonly table: string
  /** Null if the whole table is missing. */
  readonly column: string | null
  readonly problem: string
}

/**
 * Returns the differences between the `Tables` of the project in `root` and these columns, which are all of the
 * database. A table that the code doesn't declare is not a difference. Costs one run of the TypeScript compiler.
 */
export function compareColumns(root: string, stored: readonly StoredColumn[]): TypeDifference[] {
  const tables = [...Map.groupBy(stored, ({ table }) => table)]
  const assertions = [
    noOtherTables(tables.map(([table]) => table)),
    ...tables.flatMap(([table, columns]) => [noOtherColumns(table, columns), ...columns.flatMap(ofColumn)]),
  ]
  return failedAssertions(root, assertions, HELPERS)
    .flatMap(({ assertion, names }) => assertion.differences(names))
    .toSorted((one, other) => (one.table < other.table ? -1 : Number(one.table > other.table)))
}

interface ColumnAssertion extends Assertion {
  /** Returns the differences. `names` are the string literals in the compiler's message. */
  readonly differences: (names: readonly string[]) => TypeDifference[]
}

const HELPERS = `import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Tables } from 'pergola'
import type { JoinedIds } from 'pergola/features'

// A table that the code doesn't declare has no columns.
type Table<T> = T extends keyof Tables ? Tables[T] : {}
// A join table stores these columns.
type Stored<T> = { [C in keyof Table<T> as Table<T>[C] extends JoinedIds | JoinedIds<string> ? never : C]: true }
type Member<Row, C> = C extends keyof Row ? Row[C] : never
type Read<T, C> = Member<Selectable<Table<T>>, C>
type Written<T, C> = Member<Insertable<Table<T>>, C> | Member<Updateable<Table<T>>, C>

type IsAnything<V> = unknown extends V ? true : false
type TakesNull<V> = null extends V ? true : false
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type IsLiteral<V> = [V] extends [string] ? ([string] extends [V] ? false : true) : false

type IsDeclared<T, C> = T extends keyof Tables ? (C extends keyof Tables[T] ? true : false) : true

// A list of values fits any string type, and json may have a narrower type. Other types must be equal.
type FitsValue<V, Stored> =
  IsLiteral<Stored> extends true ? (string extends V ? true : Same<V, Stored>) : [V] extends [Stored] ? true : false
type FitsNull<V, Nullable> = IsAnything<V> extends true ? true : Same<TakesNull<V>, Nullable>
type Fits<V, Stored, Nullable> = [V] extends [never]
  ? true
  : FitsValue<NonNullable<V>, Stored> extends true ? FitsNull<V, Nullable> : false

type IsOptional<Row, C extends keyof Row> = {} extends Pick<Row, C> ? true : false
type IsRequired<T, C> = IsAnything<Read<T, C>> extends true
  ? true
  : C extends keyof Table<T>
    ? C extends keyof Insertable<Table<T>> ? Same<IsOptional<Insertable<Table<T>>, C>, false> : false
    : true
type RefusesNull<T, C, Stored> = Fits<Read<T, C>, Stored, false> extends true
  ? IsAnything<Written<T, C>> extends true ? true : Same<TakesNull<Written<T, C>>, false>
  : true
type IsReadOnly<T, C> = C extends keyof Insertable<Table<T>> | keyof Updateable<Table<T>> ? false : true
`

const noOtherTables = (tables: readonly string[]): ColumnAssertion => ({
  isNever: `Exclude<keyof Tables, ${union(tables)}>`,
  differences: (names) =>
    names.map((table) => ({ table, column: null, problem: 'The database has no such table.' })),
})

const noOtherColumns = (table: string, columns: readonly StoredColumn[]): ColumnAssertion => ({
  isNever: `Exclude<keyof Stored<${quoted(table)}>, ${union(columns.map(({ column }) => column))}>`,
  differences: (names) =>
    names.map((column) => ({ table, column, problem: 'The database has no such column.' })),
})

function ofColumn(stored: StoredColumn): ColumnAssertion[] {
  const { table, column, nullable, has_default, is_generated } = stored
  const type = typeOfColumn(stored)
  const full = nullable ? `${type} | null` : type
  const place = `${quoted(table)}, ${quoted(column)}`
  const assert = (isTrue: string, problem: string): ColumnAssertion => ({
    isTrue,
    differences: () => [{ table, column, problem }],
  })
  return [
    assert(`IsDeclared<${place}>`, `The type lacks this column. The database has ${full}.`),
    assert(`Fits<Read<${place}>, ${type}, ${nullable}>`, `The type differs. The database has ${full}.`),
    ...(nullable || has_default || is_generated ? [] : [assert(`IsRequired<${place}>`, OPTIONAL)]),
    ...(nullable ? [] : [assert(`RefusesNull<${place}, ${type}>`, NULLABLE)]),
    ...(is_generated ? [assert(`IsReadOnly<${place}>`, GENERATED)] : []),
  ]
}

const OPTIONAL = 'The type lets an insert leave this column out, and the database has no default for it.'
const NULLABLE = 'The type lets an insert or an update write null, and the database refuses null.'
const GENERATED = 'The database computes this column. Declare it as GeneratedAlways.'

const quoted = (name: string) => JSON.stringify(name)
const union = (names: readonly string[]) => (names.length === 0 ? 'never' : names.map(quoted).join(' | '))
