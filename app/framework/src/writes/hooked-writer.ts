import { within } from '../database/executor.ts'
import { lockRow, type Target } from '../rows/storage.ts'
import { afterCommit, inTransaction } from '../database/transaction.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Hooks, Written } from './hooks.ts'
import { type WriteWatcher, recordsWithIds, type WriteAction } from './record-feature.ts'
import { writerOnce } from './once/repeated-writes.ts'
import { type AuthorizeValues, type RowWriter, rowWriter } from './row-writer.ts'
import type { RecordId } from '../resource/tables.ts'

/** What each write of a repository does besides the write. */
export interface WriteOptions<R extends Resource> {
  hooks?: Hooks<R> | undefined
  watcher?: WriteWatcher | undefined
  /** Whether the writes have no policy. */
  isSystem?: boolean
}

/**
 * Returns the writer of a resource. With hooks or a watcher, each write is a transaction that calls them. With an
 * idempotency key in the request, each write happens once.
 */
export function writerOf<R extends Resource>(
  resource: R,
  { hooks, watcher, isSystem = false }: WriteOptions<R>,
): RowWriter<R> {
  const rows = rowWriter(resource)
  // Within the hooks, so that a write of `afterInsert` follows the insert in the history.
  const writer = watcher === undefined ? rows : watchedWriter(resource, rows, watcher)
  const hooked = hooks === undefined ? writer : hookedWriter(resource, hooks, writer)
  return writerOnce(resource, hooked, isSystem)
}

function hookedWriter<R extends Resource>(resource: R, hooks: Hooks<R>, writer: RowWriter<R>): RowWriter<R> {
  // A repeated request doesn't call the hooks again, so their writes don't count among its writes.
  const onCommit = (row: RowOf<R>, kind: Written) =>
    afterCommit(() => within({ isWrittenOnce: true }, () => hooks.afterCommit?.(row, kind)))
  const deleteWithHooks = async (row: RowOf<R>, remove: () => Promise<boolean>) => {
    await hooks.beforeDelete?.(row)
    if (!(await remove())) throw rowWrittenByHook(resource)
    await hooks.afterDelete?.(row)
    await onCommit(row, 'delete')
    return true
  }
  return {
    insert: (values, authorize) =>
      inTransaction(async () => {
        const final = await withHookValues(values, await hooks.beforeInsert?.(values as never), authorize)
        const row = await writer.insert(final)
        await hooks.afterInsert?.(row)
        await onCommit(row, 'insert')
        return row
      }),
    update: (target, changes, authorize) =>
      onLockedRow(resource, target, async (before) => {
        const final = await withHookValues(changes, await hooks.beforeUpdate?.(before, changes))
        const row = await writer.update(target, final, authorize)
        if (row === null) throw rowWrittenByHook(resource)
        await hooks.afterUpdate?.(row, before)
        await onCommit(row, 'update')
        return row
      }),
    async delete(target) {
      const remove = () => writer.delete(target)
      return (await onLockedRow(resource, target, (row) => deleteWithHooks(row, remove))) ?? false
    },
    async purge(target) {
      const remove = () => writer.purge(target)
      // `onLockedRow` returns null for a row in the trash. The hooks of that row ran when it was moved there.
      return (await onLockedRow(resource, target, (row) => deleteWithHooks(row, remove))) ?? (await remove())
    },
    restore: (target) =>
      inTransaction(async () => {
        const row = await writer.restore(target)
        if (row === null) return null
        await hooks.afterRestore?.(row)
        await onCommit(row, 'restore')
        return row
      }),
  }
}

/** Runs `work` in a transaction that holds a lock on the row. Returns null if the target doesn't exist. */
function onLockedRow<R extends Resource, Result>(
  resource: R,
  target: Target,
  work: (row: RowOf<R>) => Promise<Result>,
): Promise<Result | null> {
  return inTransaction(async () => {
    const row = await lockRow(resource, target)
    return row === null ? null : work(row)
  })
}

// The row is locked, so no other transaction can have changed it. The error rolls the hook's own write back too.
const rowWrittenByHook = ({ name }: Resource) =>
  new Error(`A hook of ${name} wrote the row it was called for. Return the values from beforeUpdate instead.`)

/** Returns the values with those that a hook added. If a hook added values, authorizes the result. */
async function withHookValues<Values extends object>(
  values: Values,
  added: unknown,
  authorize?: AuthorizeValues,
): Promise<Values> {
  if (typeof added !== 'object' || added === null) return values
  const final = Object.freeze({ ...values, ...added })
  await authorize?.(final)
  return final
}

/** Returns a writer whose writes are watched in their transaction. */
function watchedWriter<R extends Resource>(
  resource: R,
  writer: RowWriter<R>,
  watcher: WriteWatcher,
): RowWriter<R> {
  /** Calls the watcher before the write, and after a write that returns a row or true. */
  const watched = <Result>(action: WriteAction, { id }: Target, write: () => Promise<Result>) =>
    inTransaction(async () => {
      const records = await watcher.before(action, recordsWithIds(resource, [id]))
      const result = await write()
      if (result !== null && result !== false) await records.after()
      return result
    })
  return {
    insert: (values, authorize) =>
      inTransaction(async () => {
        const row = await writer.insert(values, authorize)
        await watcher.inserted([(row as { id: RecordId }).id])
        return row
      }),
    update(target, changes, authorize) {
      const write = () => writer.update(target, changes, authorize)
      return watcher.only?.some((column) => column in changes) === false
        ? write()
        : watched('update', target, write)
    },
    delete: (target) => watched('delete', target, () => writer.delete(target)),
    restore: (target) => watched('restore', target, () => writer.restore(target)),
    purge: (target) => watched('purge', target, () => writer.purge(target)),
  }
}
