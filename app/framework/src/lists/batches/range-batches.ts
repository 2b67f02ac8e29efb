import { sql } from 'kysely'
import { deleteRows, updateRows } from '../../rows/range-writes.ts'
import { inTransaction } from '../../database/transaction.ts'
import type { ChangeAction } from '../../features/history/change-table.ts'
import type { ChangeRecorder, RowQuery } from '../../features/history/record-changes.ts'
import type { ChangesOf, IdOf, Resource } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { asyncIterator } from './async-iterator.ts'
import type { BatchOptions } from './batch-options.ts'
import { type Progress, progressOf } from './progress.ts'
import { idOf, Walk } from './batch-walk.ts'

/** A range of ids. A write applies to the rows that are in the range, and match the walk's `where`, when it runs. */
interface IdRange<R extends Resource> {
  readonly first: IdOf<R>
  readonly last: IdOf<R>
  /** The number of rows in the range when it was read. */
  readonly rows: number
  /** Updates the rows in one statement. Returns the number of updated rows. */
  update(changes: ChangesOf<R>): Promise<number>
  /** Deletes the rows in one statement. Returns the number of deleted rows. */
  delete(): Promise<number>
}

/** A walk through the id ranges of a list, to write its rows without reading them. */
export class RangeBatches<R extends Resource> implements AsyncIterable<IdRange<R>> {
  readonly #walk: Walk<R>
  #rows = 0

  readonly #recorder: ChangeRecorder | undefined

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>, recorder?: ChangeRecorder) {
    this.#walk = new Walk(source, size, options)
    this.#recorder = recorder
  }

  /** Returns the next range; null at the end, without further queries. */
  async nextBatch(): Promise<IdRange<R> | null> {
    const walk = this.#walk
    const rows = await walk.take((query) => query.select('id').execute())
    if (rows === null) return null
    this.#rows += rows.length
    const [first, last] = [rows[0], rows.at(-1)] as [object, object]
    return this.#rangeOf({ first: idOf(first) as IdOf<R>, last: idOf(last) as IdOf<R>, rows: rows.length })
  }

  /** Identifies the last returned range. Store it after each range to resume there. Null before the first range. */
  get position(): string | null {
    return this.#walk.positionAt(this.#walk.place)
  }

  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows, place: this.#walk.place })
  }

  /** Continues after the last returned range, even if an earlier loop ended early. */
  [Symbol.asyncIterator](): AsyncIterator<IdRange<R>> {
    return asyncIterator(() => this.nextBatch())
  }

  /** Writes the rows of the list. With a recorder, writes only the rows that it locked. */
  #recorded(
    action: ChangeAction,
    list: RowQuery,
    write: (list: RowQuery) => Promise<number>,
  ): Promise<number> {
    const recorder = this.#recorder
    if (recorder === undefined) return write(list)
    return inTransaction(async () => {
      const before = await recorder.beforeRange(action, list)
      const { idKind } = this.#walk.resource
      const count = await write(list.where(sql<boolean>`id = any(${before.ids}::${sql.raw(idKind)}[])`))
      await recorder.record(before)
      return count
    })
  }

  #rangeOf(range: Pick<IdRange<R>, 'first' | 'last' | 'rows'>): IdRange<R> {
    const walk = this.#walk
    const rows = () => walk.between(range.first, range.last)
    return {
      ...range,
      update: (changes) =>
        this.#recorded('update', rows(), (list) => updateRows(walk.resource, list, changes)),
      delete: () => this.#recorded('delete', rows(), (list) => deleteRows(walk.resource, list)),
    }
  }
}
