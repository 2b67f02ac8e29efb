import type { z } from 'zod'
import { fieldFacts } from './field-kind.ts'
import { type ListColumnOptions, type ListColumns, listColumns } from './list-columns.ts'
import type { IdKind } from './record-id.ts'
import { type ManagedColumnOptions, managedColumns, type ManagedColumns } from './managed-columns.ts'
import { claimTable, type Reference, referencesOf, rejectTaken } from './references.ts'
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
  /** Columns that are left out of every row that is read. */
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

/** A stored row: frozen, and without the hidden columns. */
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

interface ResourceOptions<T extends TableName, Input extends z.ZodObject, Hidden extends string> {
  table: T
  /** The schema of the columns that clients may write: `z.strictObject({ title: field.string() })`. */
  input: Input & OnlyColumns<T, Input>
  /** The column whose value is the text of a record in links and choices; defaults to the id. */
  label?: Exclude<ColumnOf<T>, Hidden>
  /** The column with the owner's user id, which the server fills in. */
  owner?: ColumnOf<T>
  /**
   * The column with the tenant of a record, such as the account that it belongs to. Every statement reads and writes only
   * the rows of the caller's tenant, which `tenantOf` of `useAuthorization` returns. The server fills it in, and it never
   * changes.
   */
  tenant?: ColumnOf<T>
  /** Columns that are left out of every row that is read. */
  hidden?: readonly Hidden[]
  /** Columns that no client can change, besides id, owner, tenant and created_at. */
  immutable?: readonly ColumnOf<T>[]
  /**
   * The resources that foreign keys refer to, by column; `'self'` for this resource. Name the table of a resource that
   * refers to this one, because their files can't import each other: `{ pinned_post_id: 'posts' }`.
   */
  references?: { readonly [C in ColumnOf<T>]?: Reference }
}

/** Required for tables whose ids are text, since those are UUIDs. */
type IdOption<T extends TableName> = IdOfTable<T> extends number ? { id?: 'bigint' } : { id: 'uuid' }

type FilterDeclarations = ListColumns['filters']

type OnlyColumns<T extends TableName, Input extends z.ZodObject> =
  Exclude<keyof Input['shape'], ColumnOf<T>> extends never
    ? unknown
    : { 'a field of input is not a column': never }

/**
 * Declares a resource: a table, the fields that clients may write, and the rules for its columns. Returns a frozen
 * value that policies, scopes and repositories refer to.
 *
 * Throws if `input` contains the id, the owner, the tenant, a hidden or a managed column, if the label, the tenant or a
 * list column is hidden, if a filter has the name of a list parameter such as `page` or of the bound of another filter,
 * and if another resource already has this name or table.
 *
 * ```ts
 * export const Post = resource('Post', {
 *   table: 'posts',
 *   label: 'title',
 *   input: z.strictObject({ title: field.string({ max: 200 }), body: field.text() }),
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
>(
  name: Name,
  options: ResourceOptions<T, Input, Hidden> &
    IdOption<T> &
    ListColumnOptions<T, Hidden, Sort, Filters> &
    ManagedColumnOptions<T, SoftDelete, Version, UpdatedAt>,
): Resource<
  Name,
  T,
  Input,
  Hidden,
  ListColumns<Sort, Filters>,
  ManagedColumns<SoftDelete, Version, UpdatedAt>
> {
  const { table, input, owner = null, hidden = [], immutable = [], references = {} } = options
  const tenant: string | null = options.tenant ?? null
  const { sort = [], search = [], filters = {} as Filters } = options
  const { id: idKind = 'bigint', label = 'id' } = options as { id?: IdKind; label?: string }
  const { softDelete = false, version = false, updatedAt = false } = options as Partial<ManagedColumns>
  const managed = Object.freeze({ softDelete, version, updatedAt })
  rejectInput(name, input, ['id', owner, tenant, ...hidden, ...managedColumns(managed)])
  if (hidden.some((column) => column === label))
    throw new Error(`${name}: '${label}' is hidden, so it can't be the label. Choose another column.`)
  if (tenant !== null && hidden.some((column) => column === tenant))
    throw new Error(`${name}: '${tenant}' is the tenant, so it can't be hidden: decisions compare it.`)
  const lists = listColumns<Sort, Filters>(name, { sort, search, filters }, hidden)
  const targets = referencesOf({ name, tenant }, references, (): Resource => made)
  rejectTaken(name, table)
  const made = Object.freeze({
    name,
    table,
    input,
    idKind,
    label,
    json: Object.keys(input.shape).filter((column) => fieldFacts(shapeOf(input, column)).kind === 'json'),
    owner,
    tenant,
    hidden,
    immutable: immutableColumns([owner, tenant], [...immutable, ...managedColumns(managed)]),
    references: targets,
    lists,
    managed: managed as ManagedColumns<SoftDelete, Version, UpdatedAt>,
  })
  claimTable(made)
  return made
}

function rejectInput(name: string, { shape }: z.ZodObject, columns: readonly (string | null)[]): void {
  const written = columns.find((column) => column !== null && column in shape)
  if (written != null)
    throw new Error(`${name}: '${written}' is written by the server. Remove it from input.`)
}

const immutableColumns = (filled: readonly (string | null)[], declared: readonly string[]): string[] => [
  ...new Set(['id', 'created_at', ...filled.filter((column) => column !== null), ...declared]),
]

const shapeOf = (input: z.ZodObject, column: string) => input.shape[column] as z.ZodType
