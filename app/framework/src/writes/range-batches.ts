import { deleteRows, updateRows } from '../rows/range-writes.ts'
import { inTransaction } from '../database/transaction.ts'
import type { ChangesOf, IdOf, Resource } from '../resource/resource.ts'
import type { ListSource } from '../lists/list-source.ts'
import type { BatchOptions } from '../lists/batches/batch-options.ts'
import { idOf, Walk } from '../lists/batches/batch-walk.ts'
import { Batches } from '../lists/batches/batches.ts'
import { type RecordQuery, withIds, type WriteAction, type WriteWatcher } from './record-feature.ts'

/** A range of ids. A write applies to the rows that are in the range, and match the walk's `where`, when it runs. */
export interface IdRange<R extends Resource> {
  readonly first: IdOf<R>
  readonly last: IdOf<R>
  /** The number of rows in the range when it was read. */
  readonly rows: number
  /** Updates the rows in one statement. Returns the number of updated rows. */
  update(changes: ChangesOf<R>): Promise<number>
  /** Deletes the rows in one statement. Returns the number of deleted rows. */
  delete(): Promise<number>
}

type WriteRows = (list: RecordQuery) => Promise<number>

/** Returns a walk through the id ranges of a list, to write its rows without reading them. */
export function rangeBatches<R extends Resource>(
  source: ListSource<R>,
  { size, options, watcher }: { size: number; options: BatchOptions<R>; watcher?: WriteWatcher | undefined },
): Batches<R, IdRange<R>> {
  const walk = new Walk(source, size, options)
  const { resource } = walk
  /** Writes the rows of a range. With a watcher, writes only the rows that the watcher locked. */
  const write = (action: WriteAction, range: () => RecordQuery, rows: WriteRows) =>
    watcher === undefined
      ? rows(range())
      : inTransaction(async () => {
          // Made here, because a query belongs to the transaction in which it is made.
          const list = range()
          const watched = await watcher.before(action, list)
          const count = await rows(withIds(resource, list, watched.ids))
          if (count > 0) await watched.after()
          return count
        })
  const rangeOf = (rows: readonly object[]): IdRange<R> => {
    const [first, last] = [rows[0], rows.at(-1)].map((row) => idOf(row as object)) as [IdOf<R>, IdOf<R>]
    const range = () => walk.between(first, last)
    return {
      first,
      last,
      rows: rows.length,
      update: (changes) => write('update', range, (list) => updateRows(resource, list, changes)),
      delete: () => write('delete', range, (list) => deleteRows(resource, list)),
    }
  }
  return new Batches(walk, (query) => query.select('id').execute(), rangeOf)
}
