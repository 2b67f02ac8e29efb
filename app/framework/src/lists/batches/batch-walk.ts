import type { Expression, SqlBool } from 'kysely'
import type { Resource } from '../../resource/resource.ts'
import type { ListSource } from '../list-source.ts'
import { compare, keyColumns, keyOf, type KeyText } from './walk-key.ts'
import { checkLimits, conditions, type Limits, limitsOf, outermostKey } from './key-limits.ts'
import { type BatchOptions, batchSize } from './batch-options.ts'
import { readPosition, writePosition } from './walk-position.ts'
import { waitForWriters } from './wait-for-writers.ts'

type Stored = Record<string, unknown>
type Query = ReturnType<ListSource<Resource>['narrowed']>

/**
 * A walk through a list in ascending order of a unique key. Its place changes only if a step succeeds, so that a
 * failed step can be repeated. Concurrent steps run one after the other.
 */
export class Walk<R extends Resource> {
  readonly resource: R
  readonly columns: readonly string[]
  readonly limits: Limits
  readonly #size: number
  readonly #source: ListSource<R>
  readonly #options: BatchOptions<R>
  /** The largest key at the beginning, for a walk with `snapshot`. */
  #end: KeyText | null = null
  #hasBegun = false
  #isOver = false
  #place: KeyText | null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.resource = source.resource
    this.columns = keyColumns(source.resource, options.order)
    this.#size = batchSize(size)
    this.#source = source
    this.#options = options
    this.limits = limitsOf(this.columns, options)
    const { position } = options
    this.#place = position == null ? null : readPosition(source.resource, this.columns, position)
  }

  /** The key of the last row that a step returned. */
  get place(): KeyText | null {
    return this.#place
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Returns a place of this walk as text. */
  positionAt(place: KeyText | null): string | null {
    return place === null ? null : writePosition(this.resource, this.columns, place)
  }

  /** Reads the next rows, up to the size of a batch; null at the end, without further queries. */
  take(read: (query: Query) => Promise<Stored[]>): Promise<Stored[] | null> {
    const taken = this.#turn.then(() => this.#take(read))
    this.#turn = taken.catch(() => {})
    return taken
  }

  /** The rows of the list from one key to another, both inclusive. */
  between(start: KeyText, until: KeyText): Query {
    return this.#narrowed(conditions(this.columns, { start, until, after: null }))
  }

  async #take(read: (query: Query) => Promise<Stored[]>): Promise<Stored[] | null> {
    if (this.#isOver) return null
    this.#options.signal?.throwIfAborted()
    if (!this.#hasBegun) await this.#begin()
    const rows = this.#isOver ? [] : await read(this.#next())
    const last = rows.at(-1)
    if (last !== undefined) this.#place = keyOf(this.columns, last)
    this.#isOver ||= rows.length < this.#size
    return last === undefined ? null : rows
  }

  #next(): Query {
    return this.columns.reduce((query, column) => query.orderBy(column), this.#ahead()).limit(this.#size)
  }

  #ahead(): Query {
    const { columns } = this
    return this.#narrowed([
      ...conditions(columns, this.limits),
      ...(this.#end === null ? [] : [compare(columns, '<=', this.#end)]),
      ...(this.#place === null ? [] : [compare(columns, '>', this.#place)]),
    ])
  }

  #narrowed(conditions: readonly Expression<SqlBool>[]): Query {
    return conditions.reduce<Query>(
      (query, condition) => query.where(condition),
      this.#source.narrowed(this.#options),
    )
  }

  async #begin(): Promise<void> {
    const { order, snapshot = false, signal } = this.#options
    const { start, after, until } = this.limits
    await checkLimits(this.resource, this.columns, { order, bounds: [start, after, until, this.#place] })
    if (snapshot !== false) {
      this.#end = await outermostKey(this.resource, this.columns, 'desc')
      // After the end is known: transactions that begin to write from now on get higher keys.
      if (snapshot === 'settled') await waitForWriters(this.resource, signal)
      this.#isOver = this.#end === null
    }
    this.#hasBegun = true
  }
}
