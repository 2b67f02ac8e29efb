import type { Action } from './actions/action.ts'
import type { FromTable } from './from-table/from-options.ts'
import type { Field, IdKind, Target } from './field-types/field-type.ts'
import type { Names } from './read/names.ts'

/** The tenants of the application, such as accounts: users belong to one each. */
export interface Tenants {
  readonly names: Names
  /** The column of users and of records: `account_id`. */
  readonly column: string
}

/** The resource on whose page the records of a nested resource stand. */
export interface Parent {
  /** The reference to it, which the path determines. */
  readonly field: Field & { readonly target: Target }
  readonly model: Model
}

/** The resource that a valid command line declares. */
export interface Model extends FromTable {
  readonly names: Names
  readonly fields: readonly Field[]
  /** The field that labels a record; null if the id does. */
  readonly label: Field | null
  /** The reference to the user who owns a record, which is not nullable; null if records have no owner. */
  readonly owner: Field | null
  /** The list of users who can read and edit a record besides its owner. */
  readonly editors?: Field
  /** Left out if records have pages of their own. */
  readonly parent?: Parent
  /** The resource whose readers see the records, which have pages of their own. */
  readonly within?: Parent
  /** Returns the reference to its parent of a resource to which fields refer. */
  readonly above?: (resource: string) => Parent['field'] | undefined
  /** The resources whose records stand on the page of a record. `counted` is the reference, if its list shows their number. */
  readonly children?: readonly { readonly names: Names; readonly counted?: string }[]
  /** Left out if records have no tenant. */
  readonly tenant?: Tenants
  /** The order column of a list with cursors; null for numbered pages. */
  readonly cursor: string | null
  /**
   * The users who can read a record. `members`: the owner, or all signed-in users if records have no owner. `everybody`:
   * also guests. `when`: also guests, if this boolean is true.
   */
  readonly readers: 'members' | 'everybody' | { readonly when: Field }
  /** The actions of the policy besides the standard ones. */
  readonly actions: readonly Action[]
  readonly api: boolean
  readonly id: IdKind
  readonly softDelete: boolean
  readonly version: boolean
  readonly tests: boolean
}

export interface GeneratedFile {
  /** The path from the root of the project, with slashes. */
  readonly path: string
  readonly text: string
}

export interface FilesOptions {
  /** The name of the migration, without `.ts`: `20260101000200_create_posts`. */
  readonly migration: string
}
