import { deleteRows, updateRows } from '../rows/range-writes.ts'
import { inTransaction } from '../database/transaction.ts'
import type { ChangesOf, IdOf, Resource } from '../resource/resource.ts'
import type { ListSource } from '../lists/list-source.ts'
import { asyncIterator } from '../lists/batches/async-iterator.ts'
import type { BatchOptions } from '../lists/batches/batch-options.ts'
import { type Progress, progressOf } from '../lists/batches/progress.ts'
import { idOf, Walk } from '../lists/batches/batch-walk.ts'
import { type RecordQuery, withIds, type WriteAction, type WriteWatcher } from './record-feature.ts'

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

  readonly #watcher: WriteWatcher | undefined

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>, watcher?: WriteWatcher) {
    this.#walk = new Walk(source, size, options)
    this.#watcher = watcher
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

  /** Writes the rows of the list. With a watcher, writes only the rows that the watcher locked. */
  #watched(
    action: WriteAction,
    list: RecordQuery,
    write: (list: RecordQuery) => Promise<number>,
  ): Promise<number> {
    const watcher = this.#watcher
    if (watcher === undefined) return write(list)
    return inTransaction(async () => {
      const watched = await watcher.before(action, list)
      const count = await write(withIds(this.#walk.resource, list, watched.ids))
      await watched.after()
      return count
    })
  }

  #rangeOf(range: Pick<IdRange<R>, 'first' | 'last' | 'rows'>): IdRange<R> {
    const walk = this.#walk
    const rows = () => walk.between(range.first, range.last)
    return {
      ...range,
      update: (changes) =>
        this.#watched('update', rows(), (list) => updateRows(walk.resource, list, changes)),
      delete: () => this.#watched('delete', rows(), (list) => deleteRows(walk.resource, list)),
    }
  }
}
