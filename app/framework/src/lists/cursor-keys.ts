import type { SortKey } from '../pagination/keyset.ts'
import type { Resource } from '../resource/resource.ts'
import type { ColumnOf, Stored, TableName } from '../resource/tables.ts'

/** Types whose text Postgres reads back as the very same value, and in the same order. */
export type CursorKeyType =
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

/** A cursor shows the values of its keys to whoever holds it, so hidden columns are none. */
type Shown<R extends Resource> = Exclude<ColumnOf<R['table']>, R['hidden'][number]>
type Nullable<T extends TableName> = {
  [C in keyof Stored<T> & string]: null extends Stored<T>[C] ? C : never
}[keyof Stored<T> & string]
type NullableColumn<R extends Resource> = Shown<R> & Nullable<R['table']>
type FilledColumn<R extends Resource> = Exclude<Shown<R>, Nullable<R['table']>>

/** A column of an order. One that may be empty says where the rows without a value stand. */
export type CursorKey<R extends Resource> =
  | { readonly column: FilledColumn<R>; readonly direction: 'asc' | 'desc'; readonly nulls?: never }
  | {
      readonly column: NullableColumn<R>
      readonly direction: 'asc' | 'desc'
      readonly nulls: 'first' | 'last'
    }

/** In which order cursor pages walk a repository: by one column, newest first, or by several. */
export interface CursorOptions<R extends Resource> {
  /**
   * The column whose order is followed, from its largest value down. Without `cursorKeyType` a cursor holds the id alone
   * and the walk goes by it: the same order where the column never falls as ids rise.
   */
  cursorKey?: FilledColumn<R>
  /** The type of that column: a cursor then holds both, and rows are compared by column and id. */
  cursorKeyType?: CursorKeyType
  /** Columns in mixed directions, or such that may be empty; the id is added where it is none of them. */
  keys?: readonly CursorKey<R>[]
  /** What becomes of a cursor that is none: `refuse` is a 400 and what the API does, `restart` the first page, as pages do. */
  cursorErrors?: { readonly api?: 'refuse' | 'restart'; readonly pages?: 'refuse' | 'restart' }
}

/** The declaration, whatever the resource. */
interface Declared extends Pick<CursorOptions<Resource>, 'cursorErrors'> {
  cursorKey?: string
  cursorKeyType?: CursorKeyType
  keys?: readonly SortKey[]
}

/** How cursor pages walk a repository. */
export interface CursorOrder {
  readonly keys: readonly SortKey[]
  readonly invalidCursor: 'refuse' | 'restart'
}

/** The declared order, or null where none is. Throws for a declaration that contradicts itself. */
export function cursorOrder(resource: Resource, declared: Declared): CursorOrder | null {
  const keys = declaredKeys(resource, declared)
  return keys && { keys, invalidCursor: declared.cursorErrors?.pages ?? 'restart' }
}

function declaredKeys(resource: Resource, { cursorKey, cursorKeyType, keys }: Declared): SortKey[] | null {
  const columns = [cursorKey, ...(keys ?? []).map(({ column }) => column)].filter(
    (column) => column !== undefined,
  )
  const hidden = columns.find((column) => resource.hidden.includes(column))
  if (hidden !== undefined)
    throw new Error(
      `${resource.name}: '${hidden}' is hidden, and a cursor would show it. Order by another column.`,
    )
  const contradicts =
    keys === undefined ? cursorKey === undefined && cursorKeyType !== undefined : (cursorKey ?? cursorKeyType)
  if (contradicts)
    throw new Error(`${resource.name}: declare cursorKey, with cursorKeyType or without, or keys; not both.`)
  if (cursorKey === undefined && keys === undefined) return null
  if (keys !== undefined) return withId(keys)
  if (cursorKeyType === undefined) return [{ column: 'id', direction: 'desc' }]
  return withId([{ column: cursorKey ?? '', direction: 'desc', type: cursorKeyType }])
}

/** No two rows share an id: with it, as the last key, every row has a place of its own. It goes the way of the one before. */
function withId(keys: readonly SortKey[]): SortKey[] {
  const found = keys.findIndex(({ column }) => column === 'id')
  if (found >= 0) return keys.slice(0, found + 1)
  return [...keys, { column: 'id', direction: keys.at(-1)?.direction ?? 'desc' }]
}
