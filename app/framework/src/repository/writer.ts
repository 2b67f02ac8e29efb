import { deleteRow, insertRow, purgeRow, restoreRow, type Target, updateRow } from '../database/storage.ts'
import type { ChangesOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import { hookedWriter } from './hooked-writer.ts'
import type { Hooks } from './hooks.ts'
import { unlessInUse } from './in-use.ts'

/** Asks whether these may be the values; throws `Denied`. */
export type Ask = (values: object) => Promise<void>

/** How one row is written, by whoever may. What is not there, or not in this version, is null or false. */
export interface Writer<R extends Resource> {
  insert(values: NewRowOf<R>, ask?: Ask): Promise<RowOf<R>>
  update(target: Target, changes: ChangesOf<R>, ask?: Ask): Promise<RowOf<R> | null>
  delete(target: Target): Promise<boolean>
  restore(target: Target): Promise<RowOf<R> | null>
  purge(target: Target): Promise<boolean>
}

export function writerOf<R extends Resource>(resource: R, hooks: Hooks<R> | undefined): Writer<R> {
  const plain = plainWriter(resource)
  return hooks === undefined ? plain : hookedWriter(resource, plain, hooks)
}

const plainWriter = <R extends Resource>(resource: R): Writer<R> => ({
  // Nothing is added to what was decided on.
  insert: (values) => insertRow(resource, values),
  async update(target, changes, ask) {
    await ask?.(changes)
    return updateRow(resource, target, changes)
  },
  delete: (target) => unlessInUse(() => deleteRow(resource, target)),
  restore: (target) => restoreRow(resource, target),
  purge: (target) => unlessInUse(() => purgeRow(resource, target)),
})
