import type { AnyPolicy } from '../authorization/authorization-types.ts'
import { type SortKey, withId } from '../pagination/keyset.ts'
import type { Resource } from '../resource/resource.ts'
import type { ColumnOf, Stored, TableName } from '../resource/tables.ts'

/** Types whose values Postgres converts to text and back without a change. */
type CursorKeyType =
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'numeric'
  | 'real'
  | 'double precision'
  | 'text'
  | 'uuid'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'

/** Hidden columns are excluded, because clients can read the values in a cursor. */
type Shown<R extends Resource> = Exclude<ColumnOf<R['table']>, R['hidden'][number]>
type Nullable<T extends TableName> = {
  [C in keyof Stored<T> & string]: null extends Stored<T>[C] ? C : never
}[keyof Stored<T> & string]
type NullableColumn<R extends Resource> = Shown<R> & Nullable<R['table']>
type FilledColumn<R extends Resource> = Exclude<Shown<R>, Nullable<R['table']>>

/** A column of a sort order. For a nullable column, `nulls` declares whether rows with NULL are first or last. */
type CursorKey<R extends Resource> =
  | { readonly column: FilledColumn<R>; readonly direction: 'asc' | 'desc'; readonly nulls?: never }
  | {
      readonly column: NullableColumn<R>
      readonly direction: 'asc' | 'desc'
      readonly nulls: 'first' | 'last'
    }

/** The sort order of a repository's cursor pages. Declare either `cursorKey` for one column, or `keys` for several. */
export interface CursorOptions<R extends Resource> {
  /**
   * The column of the order, which is descending. Without `cursorKeyType`, the list is ordered by id, and a cursor
   * contains only the id. Omit `cursorKeyType` only if rows with larger ids never have smaller values in this column.
   */
  cursorKey?: FilledColumn<R>
  /**
   * The type of the `cursorKey` column. With it, the list is ordered by the column and the id. `cursorKeyProblems`
   * reports a type that differs from the database.
   */
  cursorKeyType?: CursorKeyType
  /** The columns of the order, with a direction for each. The id is appended unless it is one of them. */
  keys?: readonly CursorKey<R>[]
  /**
   * The response to an invalid cursor. `refuse` responds with 400 and is the default of the API. `restart` shows the
   * first page and is the default of pages.
   */
  cursorErrors?: { readonly api?: 'refuse' | 'restart'; readonly pages?: 'refuse' | 'restart' }
}

/** The `CursorOptions` of any resource. */
interface Declared extends Pick<CursorOptions<Resource>, 'cursorErrors'> {
  policy?: AnyPolicy
  cursorKey?: string
  cursorKeyType?: CursorKeyType
  keys?: readonly SortKey[]
}

/** The order of a repository's cursor pages, and its response to an invalid cursor. */
export interface CursorOrder {
  readonly keys: readonly SortKey[]
  readonly invalidCursor: 'refuse' | 'restart'
}

/** Returns the declared order, or null if none is declared. Throws if the options contradict each other. */
export function cursorOrder(resource: Resource, declared: Declared): CursorOrder | null {
  const keys = declaredKeys(resource, declared)
  return keys && { keys, invalidCursor: declared.cursorErrors?.pages ?? 'restart' }
}

function declaredKeys(resource: Resource, declared: Declared): SortKey[] | null {
  const { cursorKey, cursorKeyType, keys, policy } = declared
  const columns = [cursorKey, ...(keys ?? []).map(({ column }) => column)].filter(
    (column) => column !== undefined,
  )
  const hidden = columns.find((column) => resource.hidden.includes(column))
  if (hidden !== undefined)
    throw new Error(
      `${resource.name}: '${hidden}' is hidden, and a cursor would show it. Order by another column.`,
    )
  const restricted = columns.find((column) => policy?.fields[column]?.see !== undefined)
  if (restricted !== undefined)
    throw new Error(
      `${resource.name}: not every caller sees '${restricted}', and a cursor would show it. Order by another column.`,
    )
  const contradicts =
    keys === undefined ? cursorKey === undefined && cursorKeyType !== undefined : (cursorKey ?? cursorKeyType)
  if (contradicts)
    throw new Error(
      `${resource.name}: the order of its cursor pages is ambiguous. ` +
        'Declare either keys, or cursorKey with an optional cursorKeyType.',
    )
  if (cursorKey === undefined && keys === undefined) return null
  if (keys !== undefined) return withId(keys)
  if (cursorKeyType === undefined) return [{ column: 'id', direction: 'desc' }]
  return withId([{ column: cursorKey ?? '', direction: 'desc' }])
}
