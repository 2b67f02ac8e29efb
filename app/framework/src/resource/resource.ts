import type { z } from 'zod'
import { fieldFacts } from './field-kind.ts'
import { type ListColumnOptions, type ListColumns, listColumns } from './list-columns.ts'
import type { IdKind } from './record-id.ts'
import type { ColumnOf, Changes, IdOfTable, NewRow, Stored, TableName } from './tables.ts'

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
  /** What its ids are: numbers that the database hands out, or UUIDs. */
  readonly idKind: IdKind
  /** The column by which people know a record: what choices and links say. */
  readonly label: string
  /** The columns of its input that hold JSON. */
  readonly json: readonly string[]
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
export type IdOf<R extends Resource> = IdOfTable<R['table']>
export type InputOf<R extends Resource> = z.output<R['input']>

interface ResourceOptions<T extends TableName, Input extends z.ZodObject, Hidden extends string> {
  table: T
  input: Input & OnlyColumns<T, Input>
  /** The column by which people know a record; its id, unless told. */
  label?: Exclude<ColumnOf<T>, Hidden>
  owner?: ColumnOf<T>
  hidden?: readonly Hidden[]
  immutable?: readonly ColumnOf<T>[]
  /** What its columns refer to; `'self'` for another record of this resource. */
  references?: { readonly [C in ColumnOf<T>]?: Resource | 'self' }
}

/** Where ids are texts it has to be said that they are UUIDs. */
type IdOption<T extends TableName> = IdOfTable<T> extends number ? { id?: 'bigint' } : { id: 'uuid' }

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
  options: ResourceOptions<T, Input, Hidden> & IdOption<T> & ListColumnOptions<T, Hidden, Sort, Filters>,
): Resource<Name, T, Input, Hidden, ListColumns<Sort, Filters>> {
  const { table, input, owner = null, hidden = [], immutable = [], references = {} } = options
  const { sort = [], search = [], filters = {} as Filters } = options
  const { id: idKind = 'bigint', label = 'id' } = options as { id?: IdKind; label?: string }
  for (const column of ['id', owner, ...hidden]) {
    if (column !== null && column in input.shape) {
      throw new Error(`${name}: '${column}' is the server's to write. Take it out of input.`)
    }
  }
  if (hidden.some((column) => column === label))
    throw new Error(`${name}: '${label}' is hidden, and a label is shown. Take another column as its label.`)
  const lists = listColumns<ListColumns<Sort, Filters>>(name, { sort, search, filters }, hidden)
  claim(name, table)
  const targets: Record<string, Resource> = {}
  const made: Resource<Name, T, Input, Hidden, ListColumns<Sort, Filters>> = Object.freeze({
    name,
    table,
    input,
    idKind,
    label,
    json: Object.keys(input.shape).filter((column) => fieldFacts(shapeOf(input, column)).kind === 'json'),
    owner,
    hidden,
    immutable: [...new Set(['id', 'created_at', ...(owner === null ? [] : [owner]), ...immutable])],
    references: targets,
    lists,
  })
  for (const [column, target] of Object.entries<Resource | 'self'>(references))
    targets[column] = target === 'self' ? made : target
  Object.freeze(targets)
  return made
}

const shapeOf = (input: z.ZodObject, column: string) => input.shape[column] as z.ZodType

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
