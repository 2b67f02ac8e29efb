import type { z } from 'zod'
import type { ListColumns } from './list-columns.ts'
import type { Joins } from './join.ts'
import type { ManagedColumns } from './managed-columns.ts'
import type { IdKind } from './record-id.ts'
import type { Changes, IdOfTable, NewRow, Stored, TableName } from './tables.ts'

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
  /** The column with the tenant of a record. The framework adds it to the condition of every statement of its repository. */
  readonly tenant: string | null
  /** The columns that rows contain. Every statement names them, so that no other column of the table is read. */
  readonly columns: readonly string[]
  /** The columns of the table type that no row contains. */
  readonly hidden: readonly Hidden[]
  /** Columns that no client can change: id, owner, tenant, created_at, the columns of the option and the managed columns. */
  readonly immutable: readonly string[]
  /** The resources that foreign keys refer to, by column. */
  readonly references: Readonly<Record<string, Resource>>
  /** The references whose columns are lists of ids, with what stores them. */
  readonly joins: Joins
  /** The errors for violated check constraints, by their names. */
  readonly checks: Readonly<Record<string, ConstraintError>>
  /** The columns by which lists can be sorted, searched and filtered. */
  readonly lists: Lists
  /** The columns that the framework maintains, for every caller. */
  readonly managed: Managed
}

/** The field beside which a form shows the error, and its text. */
export interface ConstraintError<Field extends string = string> {
  readonly field: Field
  readonly message: string
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
