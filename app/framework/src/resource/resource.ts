import type { z } from 'zod'
import { fieldFacts } from './field-kind.ts'
import { type ListColumnOptions, type ListColumns, listColumns } from './list-columns.ts'
import type { IdKind } from './record-id.ts'
import { type ManagedColumnOptions, managedColumns, type ManagedColumns } from './managed-columns.ts'
import { claimTable, referencesOf, rejectTaken } from './references.ts'
import type { IdOption, ResourceOptions } from './resource-options.ts'
import { type NamesEachColumn, shownColumns } from './shown-columns.ts'
import type { ColumnOf, Changes, IdOfTable, NewRow, Stored, TableName } from './tables.ts'

/** A declared resource, as `resource()` returns it. */
export interface Resource<
  Name extends string = string,
  T extends TableName = TableName,
  Input extends z.ZodObject = z.ZodObject,
  Hidden extends string = string,
  Lists extends ListColumns = ListColumns,
  Managed extends ManagedColumns = ManagedColumns,
> {
  readonly name: Name
  readonly table: T
  /** The schema of the columns that clients may write. */
  readonly input: Input
  /** `bigint` for numbers that the database assigns, or `uuid`. */
  readonly idKind: IdKind
  /** The column whose value is the text of a record in links and choices. */
  readonly label: string
  /** The JSON columns of `input`. */
  readonly json: readonly string[]
  /** The column with the owner's user id, which the server fills in when a record is created. */
  readonly owner: string | null
  /** The column with the tenant of a record. The framework adds it to the condition of every statement. */
  readonly tenant: string | null
  /** The columns that rows contain. Every statement names them, so that no other column of the table is read. */
  readonly columns: readonly string[]
  /** The columns of the table type that no row contains. */
  readonly hidden: readonly Hidden[]
  /** Columns that no client can change: id, owner, tenant, created_at, the columns of the option and the managed columns. */
  readonly immutable: readonly string[]
  /** The resources that foreign keys refer to, by column. */
  readonly references: Readonly<Record<string, Resource>>
  /** The columns by which lists can be sorted, searched and filtered. */
  readonly lists: Lists
  /** The columns that the framework maintains, for every caller. */
  readonly managed: Managed
}

declare const restricted: unique symbol

/** A resource in whose rows some callers don't see these fields. */
export interface WithRestricted<Field extends PropertyKey> {
  readonly [restricted]: Field
}

/** A stored row: frozen, and with the declared columns, without the hidden ones. */
export type RowOf<R extends Resource> =
  R extends WithRestricted<infer Field> ? SometimesWithout<StoredRow<R>, Field> : StoredRow<R>

type StoredRow<R extends Resource> = Readonly<Omit<Stored<R['table']>, R['hidden'][number]>>
type SometimesWithout<Row, Field extends PropertyKey> = Omit<Row, Field> &
  Partial<Pick<Row, Field & keyof Row>>

/** The values of an insert: columns with a default in the database are optional. */
export type NewRowOf<R extends Resource> = NewRow<R['table']>

/** The values of an update: any of the table's columns that an update may write. */
export type ChangesOf<R extends Resource> = Changes<R['table']>

/** The type of the resource's ids: `number`, or `string` if they are UUIDs. */
export type IdOf<R extends Resource> = IdOfTable<R['table']>

/** The values that the `input` schema returns. */
export type InputOf<R extends Resource> = z.output<R['input']>

type FilterDeclarations = ListColumns['filters']

/**
 * Declares a resource: a table, the fields that clients may write, and the rules for its columns. Returns a frozen
 * value that policies, scopes and repositories refer to.
 *
 * Throws if `input` contains the id, the owner, the tenant, a hidden or a managed column, if the label, the tenant, a list
 * column or one of `columns` is hidden, if a filter has the name of a list parameter such as `page` or of the bound of another filter,
 * and if another resource already has this name or table.
 *
 * ```ts
 * export const Post = resource('Post', {
 *   table: 'posts',
 *   label: 'title',
 *   input: z.strictObject({ title: field.string({ max: 200 }), body: field.text() }),
 *   columns: ['created_at'],
 *   owner: 'author_id',
 *   references: { author_id: User },
 *   sort: ['title', 'created_at'],
 * })
 * export type Post = RowOf<typeof Post>
 * ```
 */
export function resource<
  Name extends string,
  T extends TableName,
  Input extends z.ZodObject,
  Hidden extends ColumnOf<T> = never,
  Sort extends ColumnOf<T> = never,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type
  Filters extends FilterDeclarations = Record<never, z.ZodType>,
  SoftDelete extends boolean = false,
  Version extends boolean = false,
  UpdatedAt extends boolean = false,
  Columns extends ColumnOf<T> = never,
  Filled extends ColumnOf<T> = never,
>(
  name: Name,
  options: ResourceOptions<T, Input, Hidden, Columns, Filled> &
    IdOption<T> &
    ListColumnOptions<T, Hidden, Sort, Filters> &
    ManagedColumnOptions<T, SoftDelete, Version, UpdatedAt> &
    NamesEachColumn<
      T,
      Columns | Filled | Hidden | keyof Input['shape'],
      ManagedColumns<SoftDelete, Version, UpdatedAt>
    >,
): Resource<
  Name,
  T,
  Input,
  Hidden,
  ListColumns<Sort, Filters>,
  ManagedColumns<SoftDelete, Version, UpdatedAt>
> {
  const { table, input, hidden = [], immutable = [], references = {} } = options
  const { sort = [], search = [], filters = {} as Filters } = options
  const { id: idKind = 'bigint', label = 'id', owner = null, tenant = null } = options as Untyped
  const managed = managedOf(options)
  rejectInput(name, input, ['id', owner, tenant, ...hidden, ...managedColumns(managed)])
  rejectHiddenTenant(name, hidden, tenant)
  const columns = shownColumns({ name, input, label, owner, tenant, hidden, managed }, options.columns)
  const lists = listColumns<Sort, Filters>(name, { sort, search, filters }, columns)
  const targets = referencesOf({ name, tenant }, references, (): Resource => made)
  rejectTaken(name, table)
  const made = Object.freeze({
    name,
    table,
    input,
    idKind,
    label,
    json: jsonColumns(input),
    owner,
    tenant,
    columns,
    hidden: Object.freeze([...hidden]),
    immutable: immutableColumns([owner, tenant], [...immutable, ...managedColumns(managed)]),
    references: targets,
    lists,
    managed: managed as ManagedColumns<SoftDelete, Version, UpdatedAt>,
  })
  claimTable(made)
  return made
}

/** The options as they are at run time, when they have no types. */
interface Untyped {
  readonly id?: IdKind
  readonly label?: string
  readonly owner?: string
  readonly tenant?: string
}

function rejectInput(name: string, { shape }: z.ZodObject, columns: readonly (string | null)[]): void {
  const written = columns.find((column) => column !== null && column in shape)
  if (written != null)
    throw new Error(`${name}: '${written}' is written by the server. Remove it from input.`)
}

function managedOf(options: Partial<ManagedColumns>): ManagedColumns {
  const { softDelete = false, version = false, updatedAt = false } = options
  return Object.freeze({ softDelete, version, updatedAt })
}

function rejectHiddenTenant(name: string, hidden: readonly string[], tenant: string | null): void {
  if (tenant !== null && hidden.includes(tenant))
    throw new Error(`${name}: '${tenant}' is the tenant, so it can't be hidden: decisions compare it.`)
}

const immutableColumns = (
  filled: readonly (string | null)[],
  declared: readonly string[],
): readonly string[] =>
  Object.freeze([
    ...new Set(['id', 'created_at', ...filled.filter((column) => column !== null), ...declared]),
  ])

const jsonColumns = ({ shape }: z.ZodObject): string[] =>
  Object.keys(shape).filter((column) => fieldFacts(shape[column] as z.ZodType).kind === 'json')
