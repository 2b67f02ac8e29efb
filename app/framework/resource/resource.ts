import type { z } from 'zod'
import { type ListColumnOptions, type ListColumns, listColumns } from './list-columns.ts'
import type { ColumnOf, Changes, NewRow, Stored, TableName } from './tables.ts'

/** What a record of one kind is: its table, what a client may write, and what it may never see or change. */
export interface Resource<
  Name extends string = string,
  T extends TableName = TableName,
  Input extends z.ZodObject = z.ZodObject,
  Hidden extends string = string,
  Lists extends ListColumns = ListColumns,
> {
  readonly name: Name
  readonly table: T
  readonly input: Input
  /** The column that holds the owner's user id; filled by the server when a record is created. */
  readonly owner: string | null
  /** Columns that are taken out of every row that is read. */
  readonly hidden: readonly Hidden[]
  /** Columns that no client can change: id, owner, created_at and those declared. */
  readonly immutable: readonly string[]
  readonly references: Readonly<Record<string, Resource>>
  /** What lists can be sorted by, searched in and filtered by. */
  readonly lists: Lists
}

/** A row as the application sees it: frozen, without its hidden columns. */
export type RowOf<R extends Resource> = Readonly<Omit<Stored<R['table']>, R['hidden'][number]>>
export type NewRowOf<R extends Resource> = NewRow<R['table']>
export type ChangesOf<R extends Resource> = Changes<R['table']>
export type InputOf<R extends Resource> = z.output<R['input']>

interface ResourceOptions<T extends TableName, Input extends z.ZodObject, Hidden extends string> {
  table: T
  input: Input & OnlyColumns<T, Input>
  owner?: ColumnOf<T>
  hidden?: readonly Hidden[]
  immutable?: readonly ColumnOf<T>[]
  references?: { readonly [C in ColumnOf<T>]?: Resource }
}

type FilterSchemas = ListColumns['filters']

type OnlyColumns<T extends TableName, Input extends z.ZodObject> =
  Exclude<keyof Input['shape'], ColumnOf<T>> extends never
    ? unknown
    : { 'a field of input is no column': never }

const defined = new Map<string, string>()

/** Whether the table is a resource's, so that only its repository may write it. */
export function isResourceTable(table: string): boolean {
  return defined.has(table)
}

/**
 * Binds a name to its table and its rules. Throws when a client could write the id, the owner or a hidden column,
 * and when another resource has the name or the table.
 */
export function resource<
  Name extends string,
  T extends TableName,
  Input extends z.ZodObject,
  Hidden extends ColumnOf<T> = never,
  Sort extends ColumnOf<T> = never,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type
  Filters extends FilterSchemas = Record<never, z.ZodType>,
>(
  name: Name,
  options: ResourceOptions<T, Input, Hidden> & ListColumnOptions<T, Hidden, Sort, Filters>,
): Resource<Name, T, Input, Hidden, ListColumns<Sort, Filters>> {
  const { table, input, owner = null, hidden = [], immutable = [], references = {} } = options
  const { sort = [], search = [], filters = {} as Filters } = options
  for (const column of ['id', owner, ...hidden]) {
    if (column !== null && column in input.shape) {
      throw new Error(`${name}: '${column}' is the server's to write. Take it out of input.`)
    }
  }
  const lists = listColumns<ListColumns<Sort, Filters>>(name, { sort, search, filters }, hidden)
  claim(name, table)
  return Object.freeze({
    name,
    table,
    input,
    owner,
    hidden,
    immutable: [...new Set(['id', 'created_at', ...(owner === null ? [] : [owner]), ...immutable])],
    references,
    lists,
  })
}

function claim(name: string, table: string): void {
  for (const [otherTable, otherName] of defined) {
    if (otherName === name || otherTable === table) {
      throw new Error(
        `${name} (${table}): ${otherName} (${otherTable}) is there already. A resource needs a name and a table of its own.`,
      )
    }
  }
  defined.set(table, name)
}
