import type { Resource, RowOf } from '../../resource/resource.ts'
import type { Read, StoredRow, Walk } from './batch-walk.ts'
import type { Progress } from './progress.ts'

/**
 * A walk through a list in batches, as `findInBatches` returns it:
 * `for await (const rows of posts.visibleTo(ctx).findInBatches(500))`. Each batch costs one query, and only one batch
 * is in memory. If reading a batch fails, the next call reads it again. `inBatches` returns ranges of ids in place of rows.
 */
export class Batches<R extends Resource, Batch = RowOf<R>[]> implements AsyncIterable<Batch> {
  readonly #walk: Walk<R>
  readonly #read: Read
  readonly #batchOf: (rows: StoredRow[]) => Batch
  #rows = 0

  constructor(walk: Walk<R>, read: Read, batchOf: (rows: StoredRow[]) => Batch) {
    this.#walk = walk
    this.#read = read
    this.#batchOf = batchOf
  }

  /** Returns the next batch; null at the end, without further queries. Concurrent calls get consecutive batches. */
  async nextBatch(): Promise<Batch | null> {
    const rows = await this.#walk.take(this.#read)
    if (rows === null) return null
    this.#rows += rows.length
    return this.#batchOf(rows)
  }

  /** Identifies the last row of the last returned batch. Store it after each batch to resume there. Null before the first. */
  get position(): string | null {
    return this.#walk.positionAt(this.#walk.place)
  }

  /** Estimates the progress of the walk from the smallest and the largest id, without counting rows. */
  progress(): Promise<Progress> {
    return this.#walk.progressAt(this.#walk.place, this.#rows)
  }

  /** Continues after the last returned batch, even if an earlier loop ended early. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Batch> {
    for (let item = await this.nextBatch(); item !== null; item = await this.nextBatch()) yield item
  }
}
