import { deleteRows, updateRows } from '../../database/range-writes.ts'
import type { ChangesOf, Resource } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { iterating } from './async-iterator.ts'
import { keyOf } from './walk-key.ts'
import type { BatchOptions } from './batch-options.ts'
import { type Progress, progressOf } from './progress.ts'
import { Walk } from './walk.ts'

/** A stretch of the key range. What is written is what it holds by then, and what the walk's `where` still says. */
export interface KeyRange<R extends Resource> {
  /** The first and the last key, as exact text; one for each column of the order. */
  readonly first: readonly string[]
  readonly last: readonly string[]
  /** How many rows there were when it was read. */
  readonly rows: number
  /** In one statement; gives how many rows it changed. */
  update(changes: ChangesOf<R>): Promise<number>
  /** In one statement; gives how many rows it deleted. */
  delete(): Promise<number>
}

/** Goes through a list without reading its rows, to write them a stretch at a time. */
export class RangeBatches<R extends Resource> implements AsyncIterable<KeyRange<R>> {
  readonly #walk: Walk<R>
  #rows = 0

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.#walk = new Walk(source, size, options)
  }

  /** Null at the end, and from then on without a query. */
  async nextBatch(): Promise<KeyRange<R> | null> {
    const walk = this.#walk
    const keys = await walk.take((query) => query.select([...walk.columns]).execute())
    if (keys === null) return null
    this.#rows += keys.length
    const [first, last] = [keys[0], keys.at(-1)].map((row) => keyOf(walk.columns, row ?? {}))
    return this.#rangeOf({ first: first ?? [], last: last ?? [], rows: keys.length })
  }

  /** The last key of the last range, as text; keep it when the range is done. Null before the first. */
  get position(): string | null {
    return this.#walk.positionAt(this.#walk.place)
  }

  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows, place: this.#walk.place })
  }

  /** Goes on where the handle stands, also after a loop that broke off. */
  [Symbol.asyncIterator](): AsyncIterator<KeyRange<R>> {
    return iterating(() => this.nextBatch())
  }

  #rangeOf(range: Pick<KeyRange<R>, 'first' | 'last' | 'rows'>): KeyRange<R> {
    const walk = this.#walk
    const meant = () => walk.between(range.first, range.last)
    return {
      ...range,
      update: (changes) => updateRows(walk.resource, meant(), changes),
      delete: () => deleteRows(walk.resource, meant()),
    }
  }
}
