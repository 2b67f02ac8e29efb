import { deleteRow, insertRow, purgeRow, restoreRow, type Target, updateRow } from '../rows/storage.ts'
import type { ChangesOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import { rethrowInUse } from './constraint-violations.ts'

/** Authorizes the values of a write. Throws `Denied` if the policy denies them. */
export type AuthorizeValues = (values: object) => Promise<void>

/** Writes of one row. They return null or false if the row doesn't exist, or if it has another version. */
export interface RowWriter<R extends Resource> {
  /** Calls `authorize` only if a hook adds values, since the values of the caller were authorized as a draft. */
  insert(values: NewRowOf<R>, authorize?: AuthorizeValues): Promise<RowOf<R>>
  update(target: Target, changes: ChangesOf<R>, authorize?: AuthorizeValues): Promise<RowOf<R> | null>
  delete(target: Target): Promise<boolean>
  restore(target: Target): Promise<RowOf<R> | null>
  purge(target: Target): Promise<boolean>
}

export const rowWriter = <R extends Resource>(resource: R): RowWriter<R> => ({
  insert: (values) => insertRow(resource, values),
  async update(target, changes, authorize) {
    await authorize?.(changes)
    return updateRow(resource, target, changes)
  },
  delete: (target) => deleteRow(resource, target).catch(rethrowInUse),
  restore: (target) => restoreRow(resource, target),
  purge: (target) => purgeRow(resource, target).catch(rethrowInUse),
})
