import { type ManagedColumn, managedColumns, type ManagedColumns } from './managed-columns.ts'
import type { Resource } from './resource.ts'
import type { ColumnOf, TableName } from './tables.ts'

/**
 * `unknown` if the declaration names each column of the table type; else a property that no options have, with the names
 * of the others: a column is shown or hidden by a decision, never by default.
 */
export type NamesEachColumn<T extends TableName, Named, Managed extends ManagedColumns> = [
  Unnamed<T, Named, Managed>,
] extends [never]
  ? unknown
  : { readonly 'add to columns, or to hidden': Unnamed<T, Named, Managed> }

type Unnamed<T extends TableName, Named, Managed extends ManagedColumns> = Exclude<
  ColumnOf<T>,
  'id' | Named | ManagedColumn<Managed>
>

type Declaration = Pick<Resource, 'name' | 'input' | 'label' | 'owner' | 'tenant' | 'hidden' | 'managed'>

/** Returns the columns that rows contain. Throws if one of `columns` is hidden, and if no row contains the label. */
export function shownColumns(
  { name, input, label, owner, tenant, hidden, managed }: Declaration,
  columns: readonly string[] = [],
): readonly string[] {
  const both = columns.find((column) => hidden.includes(column))
  if (both !== undefined)
    throw new Error(`${name}: '${both}' is in columns and in hidden. Remove it from one of them.`)
  const filled = [tenant, ...Object.keys(input.shape), owner].filter((column) => column !== null)
  const named = ['id', ...filled, ...columns, ...managedColumns(managed)]
  const shown = [...new Set(named)].filter((column) => !hidden.includes(column))
  if (!shown.includes(label))
    throw new Error(`${name}: no row contains '${label}', so it can't be the label. Choose another column.`)
  return Object.freeze(shown)
}
