import { readMany } from '../../database/rows.ts'
import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { asyncIterator } from './async-iterator.ts'
import { keyOf, type KeyText } from './walk-key.ts'
import type { BatchOptions } from './batch-options.ts'
import { type Progress, progressOf } from './progress.ts'
import { Walk } from './batch-walk.ts'

/**
 * A walk through a list that returns one row at a time and reads them in batches, as `findEach` returns it. If
 * reading fails, the next call reads again.
 */
export class Each<R extends Resource> implements AsyncIterable<RowOf<R>> {
  readonly #walk: Walk<R>
  /** The key before the first row of the current batch. */
  #before: KeyText | null
  #batch: readonly RowOf<R>[] = []
  /** How many rows of the current batch were returned. */
  #given = 0
  #rows = 0
  #filling: Promise<boolean> | null = null

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.#walk = new Walk(source, size, options)
    this.#before = this.#walk.place
  }

  /** Returns the next row; null at the end, without further queries. Concurrent calls get consecutive rows. */
  next(): Promise<RowOf<R> | null> {
    const row = this.#batch[this.#given]
    if (row === undefined) return this.#nextFilled()
    this.#given++
    return Promise.resolve(row)
  }

  /** The last returned row, as text: store it when the row is done. Null before the first row. */
  get position(): string | null {
    return this.#walk.positionAt(this.#place())
  }

  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows + this.#given, place: this.#place() })
  }

  /** Continues behind the last returned row, also after a loop that ended early. */
  [Symbol.asyncIterator](): AsyncIterator<RowOf<R>> {
    return asyncIterator(() => this.next())
  }

  async #nextFilled(): Promise<RowOf<R> | null> {
    return (await (this.#filling ??= this.#fill())) ? this.next() : null
  }

  #place(): KeyText | null {
    const row = this.#batch[this.#given - 1]
    return row === undefined ? this.#before : keyOf(this.#walk.columns, row)
  }

  /**
   * Reads the next batch and returns whether it has rows. The old batch is dropped first, so that one batch is in
   * memory.
   */
  async #fill(): Promise<boolean> {
    try {
      this.#before = this.#place()
      this.#rows += this.#given
      this.#batch = []
      this.#given = 0
      const stored = await this.#walk.take((query) => query.selectAll().execute())
      if (stored !== null) this.#batch = readMany(this.#walk.resource, stored)
      return stored !== null
    } finally {
      this.#filling = null
    }
  }
}
