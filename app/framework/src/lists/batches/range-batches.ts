import { deleteRows, updateRows } from '../../database/range-writes.ts'
import type { ChangesOf, Resource } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { asyncIterator } from './async-iterator.ts'
import { keyOf } from './walk-key.ts'
import type { BatchOptions } from './batch-options.ts'
import { type Progress, progressOf } from './progress.ts'
import { Walk } from './batch-walk.ts'

/** A key range. Writes apply to the rows that it contains at that time and that the walk's `where` still selects. */
interface KeyRange<R extends Resource> {
  /** The first and the last key, as exact text, with one value for each column of the order. */
  readonly first: readonly string[]
  readonly last: readonly string[]
  /** How many rows the range had when it was read. */
  readonly rows: number
  /** Updates the rows in one statement. Returns how many it updated. */
  update(changes: ChangesOf<R>): Promise<number>
  /** Deletes the rows in one statement. Returns how many it deleted. */
  delete(): Promise<number>
}

/** A walk through the key ranges of a list, to write its rows without reading them. */
export class RangeBatches<R extends Resource> implements AsyncIterable<KeyRange<R>> {
  readonly #walk: Walk<R>
  #rows = 0

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.#walk = new Walk(source, size, options)
  }

  /** Returns the next range; null at the end, without further queries. */
  async nextBatch(): Promise<KeyRange<R> | null> {
    const walk = this.#walk
    const keys = await walk.take((query) => query.select([...walk.columns]).execute())
    if (keys === null) return null
    this.#rows += keys.length
    const [first, last] = [keys[0], keys.at(-1)].map((row) => keyOf(walk.columns, row ?? {}))
    return this.#rangeOf({ first: first ?? [], last: last ?? [], rows: keys.length })
  }

  /** The last key of the last range, as text: store it when the range is done. Null before the first range. */
  get position(): string | null {
    return this.#walk.positionAt(this.#walk.place)
  }

  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows, place: this.#walk.place })
  }

  /** Continues behind the last returned range, also after a loop that ended early. */
  [Symbol.asyncIterator](): AsyncIterator<KeyRange<R>> {
    return asyncIterator(() => this.nextBatch())
  }

  #rangeOf(range: Pick<KeyRange<R>, 'first' | 'last' | 'rows'>): KeyRange<R> {
    const walk = this.#walk
    const rows = () => walk.between(range.first, range.last)
    return {
      ...range,
      update: (changes) => updateRows(walk.resource, rows(), changes),
      delete: () => deleteRows(walk.resource, rows()),
    }
  }
}
