import type { z } from 'zod'
import type { Reference } from './references.ts'
import type { ColumnOf, IdOfTable, TableName } from './tables.ts'

/** The options of `resource()` besides those for lists and managed columns. `Filled` are the owner and the tenant. */
export interface ResourceOptions<
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
}

/** Required for tables whose ids are text, since those are UUIDs. */
export type IdOption<T extends TableName> = IdOfTable<T> extends number ? { id?: 'bigint' } : { id: 'uuid' }

type OnlyColumns<T extends TableName, Input extends z.ZodObject> =
  Exclude<keyof Input['shape'], ColumnOf<T>> extends never
    ? unknown
    : { 'a field of input is not a column': never }
