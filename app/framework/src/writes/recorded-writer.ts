import type { Target } from '../rows/storage.ts'
import { inTransaction } from '../database/transaction.ts'
import type { ChangeAction } from '../features/history/change-table.ts'
import { type ChangeRecorder, createdRows } from '../features/history/record-changes.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { RowWriter } from './row-writer.ts'

/** Returns a writer whose writes and their history are one transaction. */
export function recordedWriter<R extends Resource>(
  writer: RowWriter<R>,
  recorder: ChangeRecorder,
): RowWriter<R> {
  /** Records the write if it returns a row or true. */
  const recorded = <Result>(action: ChangeAction, { id }: Target, write: () => Promise<Result>) =>
    inTransaction(async () => {
      const before = await recorder.before(action, [id])
      const result = await write()
      if (result !== null && result !== false) await recorder.record(before)
      return result
    })
  return {
    insert: (values, authorize) =>
      inTransaction(async () => {
        const row = await writer.insert(values, authorize)
        await recorder.record(createdRows([(row as { id: RecordId }).id]))
        return row
      }),
    update: (target, changes, authorize) =>
      recorded('update', target, () => writer.update(target, changes, authorize)),
    delete: (target) => recorded('delete', target, () => writer.delete(target)),
    restore: (target) => recorded('restore', target, () => writer.restore(target)),
    purge: (target) => recorded('purge', target, () => writer.purge(target)),
  }
}
