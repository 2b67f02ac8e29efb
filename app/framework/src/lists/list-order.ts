import type { AnyPolicy } from '../policy/authorization-types.ts'
import { type SortKey, withId } from '../pagination/keyset.ts'
import type { Resource } from '../resource/resource.ts'
import type { ColumnOf, Stored, TableName } from '../resource/tables.ts'

/** Hidden columns are excluded, because clients can read the values in a cursor. */
type Shown<R extends Resource> = Exclude<ColumnOf<R['table']>, R['hidden'][number]>
type Nullable<T extends TableName> = {
  [C in keyof Stored<T> & string]: null extends Stored<T>[C] ? C : never
}[keyof Stored<T> & string]
type NullableColumn<R extends Resource> = Shown<R> & Nullable<R['table']>
type FilledColumn<R extends Resource> = Exclude<Shown<R>, Nullable<R['table']>>

type Term<R extends Resource> =
  `${'' | '-'}${FilledColumn<R>}` | `${'' | '-'}${NullableColumn<R>} nulls ${'first' | 'last'}`

/** Rejects options with an invalid order, unless it is unknown when the types are checked. */
export type CheckedOrder<R extends Resource, Options> = Options extends {
  readonly order: infer Order extends string
}
  ? InvalidTerm<R, Order> extends never
    ? unknown
    : { readonly order: { 'not a column, or one that may be null without nulls': InvalidTerm<R, Order> } }
  : unknown

/** The first term of an order that is not valid. */
type InvalidTerm<R extends Resource, Order extends string> = string extends Order
  ? never
  : Order extends `${infer First},${infer Rest}`
    ? First extends Term<R>
      ? InvalidTerm<R, Rest>
      : First
    : Exclude<Order, Term<R>>

/** Newest first: ids increase with each new row. */
export const NEWEST: readonly SortKey[] = [{ column: 'id', direction: 'desc' }]

/**
 * Returns the columns of an order such as `-created_at,rank nulls last`, and the id. Throws if it is malformed, and if a
 * cursor would show a column that is hidden, or that the policy doesn't show to every caller.
 */
export function listOrder(
  resource: Resource,
  { order, policy }: { order?: string; policy?: AnyPolicy },
): readonly SortKey[] {
  if (order === undefined) return NEWEST
  const keys = order.split(',').map((term) => sortKey(resource, term))
  for (const { column } of keys) rejectUnseen(resource, column, policy)
  return withId(keys)
}

const TERM = /^(?<minus>-?)(?<column>[^\s,-][^\s,]*)(?: nulls (?<nulls>first|last))?$/

function sortKey({ name }: Resource, term: string): SortKey {
  const { minus, column, nulls } = TERM.exec(term)?.groups ?? {}
  if (column === undefined)
    throw new Error(
      `${name}: the order contains '${term}'. Separate columns by commas, with - for descending: ` +
        "'-created_at,title', or 'due_at nulls last' for a column that may be null.",
    )
  return {
    column,
    direction: minus === '-' ? 'desc' : 'asc',
    ...(nulls !== undefined && { nulls: nulls as 'first' | 'last' }),
  }
}

function rejectUnseen({ name, columns }: Resource, column: string, policy: AnyPolicy | undefined): void {
  const isHidden = !columns.includes(column)
  if (isHidden || policy?.fields?.restricted.includes(column) === true)
    throw new Error(
      `${name}: ${isHidden ? `no row contains '${column}'` : `not every caller sees '${column}'`}, and a cursor would show it. ` +
        'Order by another column.',
    )
}
