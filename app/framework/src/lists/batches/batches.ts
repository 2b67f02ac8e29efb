import { rowColumns } from '../../rows/row-columns.ts'
import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { asyncIterator } from './async-iterator.ts'
import type { BatchOptions } from './batch-options.ts'
import { type Progress, progressOf } from './progress.ts'
import { Walk } from './batch-walk.ts'

/**
 * A walk through a list in batches, as `findInBatches` returns it:
 * `for await (const rows of posts.visibleTo(ctx).findInBatches(500))`. Each batch costs one query, and only one batch
 * is in memory. If reading a batch fails, the next call reads it again.
 */
export class Batches<R extends Resource> implements AsyncIterable<RowOf<R>[]> {
  readonly #walk: Walk<R>
  #rows = 0

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.#walk = new Walk(source, size, options)
  }

  /** Returns the next batch; null at the end, without further queries. Concurrent calls get consecutive batches. */
  async nextBatch(): Promise<RowOf<R>[] | null> {
    const stored = await this.#walk.take((query) => query.select(rowColumns(this.#walk.resource)).execute())
    if (stored === null) return null
    this.#rows += stored.length
    return this.#walk.toRows(stored)
  }

  /** Identifies the last returned row. Store it after each batch to resume there. Null before the first batch. */
  get position(): string | null {
    return this.#walk.positionAt(this.#walk.place)
  }

  /** Estimates the progress of the walk from the smallest and the largest id, without counting rows. */
  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows, place: this.#walk.place })
  }

  /** Continues after the last returned batch, even if an earlier loop ended early. */
  [Symbol.asyncIterator](): AsyncIterator<RowOf<R>[]> {
    return asyncIterator(() => this.nextBatch())
  }
}
