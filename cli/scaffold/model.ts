import type { Field, IdKind } from './field-types/field-type.ts'
import type { Names } from './read/names.ts'

/** A resource to be: what a command line asks for, checked and complete. */
export interface Model {
  readonly names: Names
  readonly fields: readonly Field[]
  /** The column by which people know a record; null for its id. */
  readonly label: Field | null
  /** Whose records they are; null where they are everybody's. Never nullable, always a reference to users. */
  readonly owner: Field | null
  /** The column of a cursor list in place of numbered pages; null for pages. */
  readonly cursor: string | null
  /** Who may read: who signed in (the owner, where there is one), everybody, or everybody where this boolean is true. */
  readonly readers: 'members' | 'everybody' | { readonly when: Field }
  readonly api: boolean
  readonly id: IdKind
  readonly softDelete: boolean
  readonly version: boolean
  readonly tests: boolean
}

export interface GeneratedFile {
  /** From the root of the project, with slashes. */
  readonly path: string
  readonly text: string
}
