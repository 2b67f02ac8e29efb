import { secretFields } from '../policy/field-access.ts'
import { loadRow } from '../rows/rows.ts'
import type { ChangesOf, IdOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import type { ManagedColumn, SoftDeleted } from '../resource/managed-columns.ts'
import { insertAll, insertEach, notReadBefore, type Rows } from '../writes/bulk-writes.ts'
import type { BatchOptions } from '../lists/batches/batch-options.ts'
import type { Batches } from '../lists/batches/batches.ts'
import { type IdRange, rangeBatches } from '../writes/range-batches.ts'
import { allRows, listSource } from '../lists/list-source.ts'
import { insertManyOnce } from '../writes/once/repeated-writes.ts'
import { upsertRows, type UpsertOptions } from '../writes/upsert-many.ts'
import { type MethodsOf, watcherOf, withMethods } from '../writes/record-feature.ts'
import { writerOf } from '../writes/hooked-writer.ts'
import type { RepositoryOptions } from './repository-options.ts'

/** Writes without a policy: for seeds, tasks, tests and sign-up. For a missing row, they return null or false. */
interface SystemWrites<R extends Resource> {
  find(id: IdOf<R>): Promise<RowOf<R> | null>
  insert(values: NewRowOf<R>): Promise<RowOf<R>>
  /** Returns the updated row; null if it doesn't exist. */
  update(id: IdOf<R>, changes: ChangesOf<R>): Promise<RowOf<R> | null>
  /** Returns whether the row existed. */
  delete(id: IdOf<R>): Promise<boolean>
  /** Stores all rows or none, in one transaction. Returns their ids, in order. Reads the iterable as it writes. */
  saveMany(rows: Rows<NewRowOf<R>>): Promise<IdOf<R>[]>
}

/** Writes of many rows in one statement. They exist only without hooks, because they would skip the hooks. */
interface SetWrites<R extends Resource> {
  /**
   * Updates these columns of existing rows, all or none, and returns how many. Throws `RowsGone` if a row doesn't exist
   * or is in the trash, and a `RangeError` if an id is repeated. With `ifUnchanged`, each row has the `version` that the
   * caller read, and the call throws `Conflict` if one has another version. Holds all rows in memory: pass it a batch.
   */
  upsertMany<
    Column extends Exclude<keyof ChangesOf<R> & string, 'id' | ManagedColumn<R['managed']>>,
    IfUnchanged extends boolean = false,
  >(
    rows: Rows<{ readonly id: IdOf<R> } & { readonly [C in Column]-?: ChangesOf<R>[C] } & Seen<IfUnchanged>>,
    options: { columns: readonly Column[] } & (R['managed']['version'] extends true
      ? { ifUnchanged?: IfUnchanged }
      : unknown),
  ): Promise<number>
  /** Walks through id ranges of up to `size` rows, which can be updated without reading the rows: for backfills. */
  inBatches(size: number, options?: BatchOptions<R>): Batches<R, IdRange<R>>
}

/** The version of a row that a caller read. */
type Seen<IfUnchanged extends boolean> = IfUnchanged extends true
  ? { readonly version: number | string }
  : unknown

interface SystemTrash<R extends Resource> {
  /** Restores a row from the trash. Returns null if it is not in the trash. */
  restore(id: IdOf<R>): Promise<RowOf<R> | null>
  /** Deletes a row permanently, whether it is in the trash or not. Returns whether it existed. */
  purge(id: IdOf<R>): Promise<boolean>
}

/** The methods that read and write without policy and scope. */
export type SystemAccess<R extends Resource, Options = object> = SystemWrites<R> &
  (Options extends { hooks: object } ? unknown : SetWrites<R>) &
  (R extends SoftDeleted ? SystemTrash<R> : unknown) &
  MethodsOf<R, Options, 'systemMethods'>

export function systemAccess<R extends Resource>(
  resource: R,
  { hooks, features = [], policy }: Pick<RepositoryOptions<R>, 'hooks' | 'features' | 'policy'>,
  why: string,
) {
  const secret = secretFields(resource, policy)
  const watcher = watcherOf(resource, features, why)
  const writer = writerOf(resource, { hooks, watcher, isSystem: true })
  const insert = (values: NewRowOf<R>) => writer.insert(values)
  const trash = {
    restore: (id: IdOf<R>) => writer.restore({ id }),
    purge: (id: IdOf<R>) => writer.purge({ id }),
  }
  const methods = {
    find: (id: IdOf<R>) => loadRow(resource, id),
    insert,
    update: (id: IdOf<R>, changes: ChangesOf<R>) => writer.update({ id }, changes),
    delete: (id: IdOf<R>) => writer.delete({ id }),
    saveMany: async (all: Rows<NewRowOf<R>>) =>
      insertManyOnce(resource, notReadBefore(all), {
        isSystem: true,
        insert: (rows) =>
          hooks === undefined
            ? insertAll(resource, rows as Rows<object>, { watcher, secret })
            : insertEach(rows as Rows<NewRowOf<R> & object>, insert, secret),
      }),
    async upsertMany(rows: Rows<object>, options: UpsertOptions) {
      refuseHooks(resource, hooks, 'upsertMany')
      return upsertRows(resource, notReadBefore(rows), { ...options, watcher, secret })
    },
    inBatches(size: number, options: BatchOptions<R> = {}) {
      refuseHooks(resource, hooks, 'inBatches')
      return rangeBatches(listSource(resource, allRows(resource)), { size, options, watcher })
    },
    ...(resource.managed.softDelete && trash),
  }
  const added = features.flatMap((feature) => feature.systemMethods ?? [])
  return withMethods(methods, resource, added)
}

function refuseHooks({ name }: Resource, hooks: unknown, method: string): void {
  if (hooks !== undefined)
    throw new Error(`${name} has hooks, which ${method} would not run. Write row by row.`)
}
