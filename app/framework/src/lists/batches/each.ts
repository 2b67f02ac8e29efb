import { readMany } from '../../database/rows.ts'
import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { iterating } from './async-iterator.ts'
import { keyOf, type KeyText } from './walk-key.ts'
import type { BatchOptions } from './batch-options.ts'
import { type Progress, progressOf } from './progress.ts'
import { Walk } from './walk.ts'

/** Gives the rows of a list one at a time, and fetches them in batches. What could not be read is read by the next call. */
export class Each<R extends Resource> implements AsyncIterable<RowOf<R>> {
  readonly #walk: Walk<R>
  /** Where this batch began. */
  #before: KeyText | null
  #batch: readonly RowOf<R>[] = []
  /** How many of the batch were handed out. */
  #given = 0
  #rows = 0
  #filling: Promise<boolean> | null = null

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.#walk = new Walk(source, size, options)
    this.#before = this.#walk.place
  }

  /** Null at the end, and from then on without a query. Calls at the same moment get one row after the other. */
  next(): Promise<RowOf<R> | null> {
    const row = this.#batch[this.#given]
    if (row === undefined) return this.#nextFilled()
    this.#given++
    return Promise.resolve(row)
  }

  /** The last row that was handed out, as text; keep it when the row is done. Null before the first. */
  get position(): string | null {
    return this.#walk.positionAt(this.#place())
  }

  progress(): Promise<Progress> {
    return progressOf(this.#walk, { rows: this.#rows + this.#given, place: this.#place() })
  }

  /** Goes on where the handle stands, also after a loop that broke off. */
  [Symbol.asyncIterator](): AsyncIterator<RowOf<R>> {
    return iterating(() => this.next())
  }

  async #nextFilled(): Promise<RowOf<R> | null> {
    return (await (this.#filling ??= this.#fill())) ? this.next() : null
  }

  #place(): KeyText | null {
    const row = this.#batch[this.#given - 1]
    return row === undefined ? this.#before : keyOf(this.#walk.columns, row)
  }

  /** Whether there were more rows. The batch that is done is let go first, so that there is one in memory. */
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
