import { readMany } from '../../database/rows.ts'
import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { iterating } from './iterating.ts'
import type { BatchOptions } from './options.ts'
import { type Progress, progressOf } from './progress.ts'
import { Walk } from './walk.ts'

/** Gives the rows of a list a batch at a time. A batch that could not be read is given by the next call. */
export class Batches<R extends Resource> implements AsyncIterable<RowOf<R>[]> {
  readonly #walk: Walk<R>
  #rows = 0

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.#walk = new Walk(source, size, options)
  }

  /** Null at the end, and from then on without a query. Calls at the same moment get one batch after the other. */
  async nextBatch(): Promise<RowOf<R>[] | null> {
    const stored = await this.#walk.take((query) => query.selectAll().execute())
    if (stored === null) return null
    this.#rows += stored.length
    return readMany(this.#walk.resource, stored)
  }

  /** The last row that was handed out, as text; keep it when the batch is done. Null before the first. */
  get position(): string | null {
    return this.#walk.positionAt(this.#walk.place)
  }

  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows, place: this.#walk.place })
  }

  /** Goes on where the handle stands, also after a loop that broke off. */
  [Symbol.asyncIterator](): AsyncIterator<RowOf<R>[]> {
    return iterating(() => this.nextBatch())
  }
}
