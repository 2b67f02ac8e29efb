import type { DraftOf } from '../authorization/policy.ts'
import type { ChangesOf, Resource, RowOf } from '../resource/resource.ts'

type Soon<T> = T | Promise<T>
/** Nothing, or columns to store besides. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a hook that returns nothing is the usual one
type More<Columns> = Soon<Partial<Columns> | void>

/** What was done with a row. */
export type Written = 'insert' | 'update' | 'delete' | 'restore'

/**
 * What a repository does whenever it writes a row, whoever asked for it. All but `afterCommit` run within the
 * transaction of the write: what they throw takes it back, and so does writing that very row themselves. The policy sees
 * what the before-hooks made of it.
 */
export interface Hooks<R extends Resource> {
  beforeInsert?(values: DraftOf<R>): More<DraftOf<R>>
  afterInsert?(row: RowOf<R>): Soon<unknown>
  beforeUpdate?(row: RowOf<R>, changes: ChangesOf<R>): More<ChangesOf<R>>
  afterUpdate?(row: RowOf<R>, before: RowOf<R>): Soon<unknown>
  beforeDelete?(row: RowOf<R>): Soon<unknown>
  afterDelete?(row: RowOf<R>): Soon<unknown>
  /** With `softDelete`: the row as it came out of the trash. */
  afterRestore?(row: RowOf<R>): Soon<unknown>
  /** Once for each row, when it is certain: mails, search, other systems. What it throws takes nothing back. */
  afterCommit?(row: RowOf<R>, what: Written): Soon<unknown>
}
