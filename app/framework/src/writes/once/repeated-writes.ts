import { copyRow, loadRow, originOf } from '../../rows/rows.ts'
import type { Target } from '../../rows/storage.ts'
import { NotFound } from '../../http/errors.ts'
import type { IdOf, Resource, RowOf } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import { READ_ONCE, type Rows } from '../bulk-writes.ts'
import type { RowWriter } from '../row-writer.ts'
import { writeOnce } from './write-once.ts'

/**
 * Returns a writer whose writes happen once for all equal requests with an idempotency key. A repeated write calls no hooks
 * and returns the current row. A repeated insert throws `NotFound` if the row was deleted.
 */
export function writerOnce<R extends Resource>(
  resource: R,
  writer: RowWriter<R>,
  isSystem = false,
): RowWriter<R> {
  const current = async (id: RecordId | undefined) => {
    const row = id === undefined ? null : await loadRow(resource, id)
    const origin = row && originOf(resource, row)
    return origin ? copyRow(row, { ...origin, isRepeated: true }) : null
  }
  const row = (write: () => Promise<RowOf<R> | null>) =>
    writeOnce(resource, {
      isSystem,
      write,
      idsOf: (written) => (written === null ? [] : [idOf(written)]),
      repeat: ([id]) => current(id),
    })
  const removal = ({ id }: Target, write: () => Promise<boolean>) =>
    writeOnce(resource, {
      isSystem,
      write,
      idsOf: (existed) => (existed ? [id] : []),
      repeat: (ids) => Promise.resolve(ids.length > 0),
    })
  return {
    async insert(values, authorize) {
      const written = await row(() => writer.insert(values, authorize))
      if (written === null) throw new NotFound()
      return written
    },
    update: (target, changes, authorize) => row(() => writer.update(target, changes, authorize)),
    delete: (target) => removal(target, () => writer.delete(target)),
    restore: (target) => row(() => writer.restore(target)),
    purge: (target) => removal(target, () => writer.purge(target)),
  }
}

interface ManyInserts<R extends Resource, Row> {
  insert: (rows: Rows<Row>) => Promise<IdOf<R>[]>
  isSystem?: boolean
}

/**
 * Calls `insert` with the rows once for all equal requests. A repeated call reads the rows, because the policy decides on
 * each of them, and returns the ids of the first call.
 */
export function insertManyOnce<R extends Resource, Row>(
  resource: R,
  rows: Rows<Row>,
  { insert, isSystem = false }: ManyInserts<R, Row>,
): Promise<IdOf<R>[]> {
  return writeOnce(resource, {
    isSystem,
    write: () => insert(rows),
    idsOf: (ids) => ids as RecordId[],
    async repeat(ids) {
      for await (const _row of rows);
      return ids as IdOf<R>[]
    },
    transaction: READ_ONCE,
  })
}

const idOf = (row: object) => (row as { id: RecordId }).id
