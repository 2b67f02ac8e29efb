import type { Target } from '../rows/storage.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { recordsWithIds, type WriteAction, type WriteWatcher } from './record-feature.ts'
import type { RowWriter } from './row-writer.ts'

/** Returns a writer whose writes are watched in their transaction. */
export function watchedWriter<R extends Resource>(
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
    update: (target, changes, authorize) =>
      watched('update', target, () => writer.update(target, changes, authorize)),
    delete: (target) => watched('delete', target, () => writer.delete(target)),
    restore: (target) => watched('restore', target, () => writer.restore(target)),
    purge: (target) => watched('purge', target, () => writer.purge(target)),
  }
}
