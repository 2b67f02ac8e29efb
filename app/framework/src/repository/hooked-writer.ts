import { lockRow, type Target } from '../database/storage.ts'
import { afterCommit, inTransaction } from '../database/transaction.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Hooks, Written } from './hooks.ts'
import type { Ask, Writer } from './writer.ts'

/** The same writes, each in a transaction with what is to be done before and after it. */
export function hookedWriter<R extends Resource>(resource: R, plain: Writer<R>, hooks: Hooks<R>): Writer<R> {
  const tell = (row: RowOf<R>, what: Written) => afterCommit(() => hooks.afterCommit?.(row, what))
  const deleting = async (row: RowOf<R>, remove: () => Promise<boolean>) => {
    await hooks.beforeDelete?.(row)
    if (!(await remove())) throw writtenByItsHook(resource)
    await hooks.afterDelete?.(row)
    await tell(row, 'delete')
    return true
  }
  return {
    insert: (values, ask) =>
      inTransaction(async () => {
        const final = await completed(values, await hooks.beforeInsert?.(values as never), ask)
        const row = await plain.insert(final)
        await hooks.afterInsert?.(row)
        await tell(row, 'insert')
        return row
      }),
    update: (target, changes, ask) =>
      onLocked(resource, target, async (before) => {
        const final = await completed(changes, await hooks.beforeUpdate?.(before, changes))
        const row = await plain.update(target, final, ask)
        if (row === null) throw writtenByItsHook(resource)
        await hooks.afterUpdate?.(row, before)
        await tell(row, 'update')
        return row
      }),
    delete: async (target) =>
      (await onLocked(resource, target, (row) => deleting(row, () => plain.delete(target)))) ?? false,
    async purge(target) {
      const purge = () => plain.purge(target)
      // What is in the trash was deleted before: nobody hears of it twice.
      return (await onLocked(resource, target, (row) => deleting(row, purge))) ?? (await purge())
    },
    restore: (target) =>
      inTransaction(async () => {
        const row = await plain.restore(target)
        if (row === null) return null
        await hooks.afterRestore?.(row)
        await tell(row, 'restore')
        return row
      }),
  }
}

/** In a transaction, with the row as nobody else can change it any more; null when it is not there to be written. */
function onLocked<R extends Resource, Result>(
  resource: R,
  target: Target,
  work: (row: RowOf<R>) => Promise<Result>,
): Promise<Result | null> {
  return inTransaction(async () => {
    const row = await lockRow(resource, target)
    return row === null ? null : work(row)
  })
}

// Nobody else could: the row is locked. What the hook did is taken back with the rest.
const writtenByItsHook = ({ name }: Resource) =>
  new Error(
    `A hook of ${name} wrote the very row it was told of. Return what it should add from beforeUpdate.`,
  )

/** The values with what a hook adds to them, asked about where it adds something. */
async function completed<Values extends object>(values: Values, more: unknown, ask?: Ask): Promise<Values> {
  if (typeof more !== 'object' || more === null) return values
  const final = Object.freeze({ ...values, ...more })
  await ask?.(final)
  return final
}
