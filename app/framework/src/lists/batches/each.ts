import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import type { RecordId } from '../../resource/tables.ts'
import type { BatchOptions } from './batch-options.ts'
import { type Progress, progressOf } from './progress.ts'
import { idOf, Walk } from './batch-walk.ts'

/**
 * A walk through a list that returns one row at a time and reads the rows in batches, as `findEach` returns it. If
 * reading a batch fails, the next call reads it again.
 */
export class Each<R extends Resource> implements AsyncIterable<RowOf<R>> {
  readonly #walk: Walk<R>
  /** The id of the last row before the current batch. */
  #before: RecordId | null
  #batch: readonly RowOf<R>[] = []
  /** The number of returned rows of the current batch. */
  #returned = 0
  #rows = 0
  #filling: Promise<boolean> | null = null

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.#walk = new Walk(source, size, options)
    this.#before = this.#walk.place
  }

  /** Returns the next row; null at the end, without further queries. Concurrent calls get consecutive rows. */
  next(): Promise<RowOf<R> | null> {
    const row = this.#batch[this.#returned]
    if (row === undefined) return this.#nextFilled()
    this.#returned++
    return Promise.resolve(row)
  }

  /** Identifies the last returned row. Store it after each row to resume there. Null before the first row. */
  get position(): string | null {
    return this.#walk.positionAt(this.#place())
  }

  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows + this.#returned, place: this.#place() })
  }

  /** Continues after the last returned row, even if an earlier loop ended early. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowOf<R>> {
    for (let item = await this.next(); item !== null; item = await this.next()) yield item
  }

  async #nextFilled(): Promise<RowOf<R> | null> {
    return (await (this.#filling ??= this.#fill())) ? this.next() : null
  }

  #place(): RecordId | null {
    const row = this.#batch[this.#returned - 1]
    return row === undefined ? this.#before : idOf(row)
  }

  /**
   * Reads the next batch and returns whether it has rows. The old batch is dropped first, so that only one batch is in
   * memory.
   */
  async #fill(): Promise<boolean> {
    try {
      this.#before = this.#place()
      this.#rows += this.#returned
      this.#batch = []
      this.#returned = 0
      const stored = await this.#walk.take(this.#walk.readRows)
      if (stored !== null) this.#batch = this.#walk.toRows(stored)
      return stored !== null
    } finally {
      this.#filling = null
    }
  }
}
