import type { z } from 'zod'
import { fieldFacts } from './fields/field-kind.ts'
import type { Join } from './join.ts'
import { type ListColumnOptions, type ListColumns, listColumns } from './list-columns.ts'
import type { IdKind } from './record-id.ts'
import { type ManagedColumnOptions, managedColumns, type ManagedColumns } from './managed-columns.ts'
import { claimTable, referencesOf, type Reference } from './references.ts'
import type { ConstraintError, Resource } from './resource.ts'
import { type NamesEachColumn, shownColumns } from './shown-columns.ts'
import type { ColumnOf, TableName, IdOfTable } from './tables.ts'

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
  const { table, input, hidden = [], immutable = [], references = {}, joins = {}, checks = {} } = options
  const { sort = [], search = [], filters = {} as Filters } = options
  const { id: idKind = 'bigint', label = 'id', owner = null, tenant = null } = options as Untyped
  const managed = managedOf(options)
  rejectInput(name, input, ['id', owner, tenant, ...hidden, ...managedColumns(managed)])
  rejectHiddenTenant(name, hidden, tenant)
  const columns = shownColumns({ name, input, label, owner, tenant, hidden, managed }, options.columns)
  const targets = referencesOf({ name, tenant }, references, (): Resource => made)
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
    immutable: fixed(['id', 'created_at', owner, tenant, ...immutable, ...managedColumns(managed)]),
    references: targets,
    joins: checkedJoins(name, joins, references, managed),
    checks: Object.freeze({ ...checks }),
    lists: listColumns<Sort, Filters>(name, { sort, search, filters, references }, columns),
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

/** A change of the ids must be one of the record. */
function checkedJoins(
  name: string,
  joins: Resource['joins'],
  references: object,
  { version }: ManagedColumns,
) {
  const wrong = Object.keys(joins).find((column) => !(column in references) || !version)
  if (wrong !== undefined)
    throw new Error(`${name}: '${wrong}' has a join, so it needs a reference of its name and version: true.`)
  return Object.freeze({ ...joins })
}

const jsonColumns = ({ shape }: z.ZodObject): string[] =>
  Object.keys(shape).filter((column) => fieldFacts(shape[column] as z.ZodType).kind === 'json')

const fixed = (columns: readonly (string | null)[]) =>
  Object.freeze([...new Set(columns)].filter((column) => column !== null))

/** The options of `resource()` besides those for lists and managed columns. `Filled` are the owner and the tenant. */
interface ResourceOptions<
  T extends TableName,
  Input extends z.ZodObject,
  Hidden extends string,
  Columns extends string,
  Filled extends string,
> {
  table: T
  /** The schema of the columns that clients may write: `z.strictObject({ title: field.string() })`. */
  input: Input & OnlyColumns<T, Input>
  /** The column whose value is the text of a record in links and choices; defaults to the id. */
  label?: Exclude<ColumnOf<T>, Hidden>
  /**
   * The columns that rows contain besides the id, the fields of `input`, the owner, the tenant and the managed columns. A
   * column of the table type that is named nowhere doesn't compile, and one that only the database has is in no row.
   */
  columns?: readonly (Columns & Exclude<ColumnOf<T>, Hidden>)[]
  /** The column with the owner's user id, which the server fills in. */
  owner?: Filled
  /**
   * The column with the tenant of a record, such as the account that it belongs to. Every statement reads and writes only
   * the rows of the caller's tenant, which `tenantOf` of `webApplication` returns. The server fills it in, and it never
   * changes.
   */
  tenant?: Filled
  /** The columns that no row contains. */
  hidden?: readonly Hidden[]
  /** Columns that no client can change, besides id, owner, tenant and created_at. */
  immutable?: readonly ColumnOf<T>[]
  /**
   * The resources that foreign keys refer to, by column; `'self'` for this resource. Name the table of a resource that
   * refers to this one, because their files can't import each other: `{ pinned_post_id: 'posts' }`.
   */
  references?: { readonly [C in ColumnOf<T>]?: Reference }
  /** What stores the references that are lists of ids: `{ tag_ids: joinTable(…) }`. */
  joins?: { readonly [C in ColumnOf<T>]?: Join }
  /**
   * The error for each violated check constraint, by its name, for checks of several columns:
   * `{ trips_days: { field: 'ends_on', message: 'Choose a day after the first one.' } }`.
   */
  checks?: Readonly<Record<string, ConstraintError<keyof Input['shape'] & string>>>
}

/** Required for tables whose ids are text, since those are UUIDs. */
type IdOption<T extends TableName> = IdOfTable<T> extends number ? { id?: 'bigint' } : { id: 'uuid' }

type OnlyColumns<T extends TableName, Input extends z.ZodObject> =
  Exclude<keyof Input['shape'], ColumnOf<T>> extends never
    ? unknown
    : { 'a field of input is not a column': never }
