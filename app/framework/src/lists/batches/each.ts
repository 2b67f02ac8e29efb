import type { Resource, RowOf } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import type { Batches } from './batches.ts'
import { idOf, type Walk } from './batch-walk.ts'
import type { Progress } from './progress.ts'

/**
 * A walk through a list that returns one row at a time and reads the rows in batches, as `findEach` returns it. If
 * reading a batch fails, the next call reads it again.
 */
export class Each<R extends Resource> implements AsyncIterable<RowOf<R>> {
  readonly #walk: Walk<R>
  readonly #batches: Batches<R>
  /** The rows of the current batch that were not returned yet, the next one last. */
  #rest: RowOf<R>[] = []
  /** The id of the last returned row. */
  #place: RecordId | null
  #rows = 0
  #filling: Promise<boolean> | null = null

  constructor(walk: Walk<R>, batches: Batches<R>) {
    this.#walk = walk
    this.#batches = batches
    this.#place = walk.place
  }

  /** Returns the next row; null at the end, without further queries. Concurrent calls get consecutive rows. */
  next(): Promise<RowOf<R> | null> {
    const row = this.#rest.pop()
    if (row === undefined) return this.#nextFilled()
    this.#place = idOf(row)
    this.#rows++
    return Promise.resolve(row)
  }

  /** Identifies the last returned row. Store it after each row to resume there. Null before the first row. */
  get position(): string | null {
    return this.#walk.positionAt(this.#place)
  }

  progress(): Promise<Progress> {
    return this.#walk.progressAt(this.#place, this.#rows)
  }

  /** Continues after the last returned row, even if an earlier loop ended early. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowOf<R>> {
    for (let item = await this.next(); item !== null; item = await this.next()) yield item
  }

  async #nextFilled(): Promise<RowOf<R> | null> {
    return (await (this.#filling ??= this.#fill())) ? this.next() : null
  }

  /** Reads the next batch and returns whether it has rows. */
  async #fill(): Promise<boolean> {
    try {
      const batch = await this.#batches.nextBatch()
      this.#rest = batch?.toReversed() ?? []
      return batch !== null
    } finally {
      this.#filling = null
    }
  }
}
