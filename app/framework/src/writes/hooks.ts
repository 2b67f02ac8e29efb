import type { DraftOf } from '../policy/policy.ts'
import type { ChangesOf, Resource, RowOf } from '../resource/resource.ts'

type MaybePromise<T> = T | Promise<T>
/** Additional columns to store, or nothing. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- most hooks return nothing
type AddedColumns<Columns> = MaybePromise<Partial<Columns> | void>

/** The kind of write that `afterCommit` is called for. */
export type Written = 'insert' | 'update' | 'delete' | 'restore'

/**
 * Functions that a repository calls for each row it writes. All but `afterCommit` run in the transaction of the
 * write: an error in one rolls the write back. A hook must not write the same row itself. The policy's `canBecome`
 * sees the values that the before-hooks return.
 */
export interface Hooks<R extends Resource> {
  /** May return additional columns to store. */
  beforeInsert?(values: DraftOf<R>): AddedColumns<DraftOf<R>>
  afterInsert?(row: RowOf<R>): MaybePromise<unknown>
  /** May return additional columns to store. Not called if no column changes. */
  beforeUpdate?(row: RowOf<R>, changes: ChangesOf<R>): AddedColumns<ChangesOf<R>>
  /** Receives the updated row, and the row before the update. */
  afterUpdate?(row: RowOf<R>, before: RowOf<R>): MaybePromise<unknown>
  /** Called before a row is deleted or, with `softDelete`, moved to the trash. */
  beforeDelete?(row: RowOf<R>): MaybePromise<unknown>
  afterDelete?(row: RowOf<R>): MaybePromise<unknown>
  /** Called after a row is restored from the trash. */
  afterRestore?(row: RowOf<R>): MaybePromise<unknown>
  /** Called once per row after the commit, for mails and other systems. An error rolls nothing back. */
  afterCommit?(row: RowOf<R>, write: Written): MaybePromise<unknown>
}
