import { sql } from 'kysely'
import { z } from 'zod'
import { parsedJson } from '../../resource/parsed-json.ts'
import type { Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import type { ListSource } from '../list-source.ts'
import { type BatchOptions, batchSize } from './batch-options.ts'
import { storedId } from '../../resource/record-id.ts'
import type { Progress } from './progress.ts'

export type StoredRow = Record<string, unknown>
type Query = ReturnType<ListSource<Resource>['narrowed']>
export type Read = (query: Query) => Promise<StoredRow[]>

/**
 * A walk reads a list in ascending order of ids, one batch at a time. A failed call of `take` doesn't change the
 * position, so that it can be repeated. Concurrent calls run one after another.
 */
export class Walk<R extends Resource> {
  readonly resource: R
  readonly #size: number
  readonly #source: ListSource<R>
  readonly #options: BatchOptions<R>
  /** With `snapshot`, the largest id that existed when the walk began. */
  #end: RecordId | null = null
  #hasBegun = false
  #isOver = false
  #place: RecordId | null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(source: ListSource<R>, size: number, options: BatchOptions<R>) {
    this.resource = source.resource
    this.#size = batchSize(size)
    this.#source = source
    this.#options = options
    const { position } = options
    this.#place = position == null ? null : readPosition(source.resource, position)
  }

  /** The id of the last row that `take` returned. Null before the first row. */
  get place(): RecordId | null {
    return this.#place
  }

  /** Returns an id as the text of a position. */
  positionAt(place: RecordId | null): string | null {
    return place === null ? null : writePosition(this.resource, place)
  }

  /** Returns the next rows, up to the size of a batch. Returns null at the end, without further queries. */
  take(read: Read): Promise<StoredRow[] | null> {
    const taken = this.#turn.then(() => this.#take(read))
    this.#turn = taken.catch(() => {})
    return taken
  }

  /** Returns the query for the rows from one id to another, both inclusive. */
  between(first: RecordId, last: RecordId): Query {
    return this.#narrowed().where('id', '>=', first).where('id', '<=', last)
  }

  /** Estimates the progress from the smallest and the largest id of the table. Counts no rows. */
  async progressAt(place: RecordId | null, rows: number): Promise<Progress> {
    if (this.resource.idKind === 'uuid') return { rows, share: null }
    if (this.#isOver) return { rows, share: 1 }
    if (place === null) return { rows, share: 0 }
    const [first, last] = await Promise.all([this.#outermostId('asc'), this.#outermostId('desc')])
    return { rows, share: shareOf(Number(place), Number(first), Number(last)) }
  }

  async #take(read: Read): Promise<StoredRow[] | null> {
    if (this.#isOver) return null
    this.#options.signal?.throwIfAborted()
    if (!this.#hasBegun) await this.#begin()
    const rows = this.#isOver ? [] : await this.#source.reading({}, () => read(this.#next()))
    const last = rows.at(-1)
    if (last !== undefined) this.#place = idOf(last)
    this.#isOver ||= rows.length < this.#size
    return last === undefined ? null : rows
  }

  #next(): Query {
    const [end, place] = [this.#end, this.#place]
    return this.#narrowed()
      .$if(end !== null, (query) => query.where('id', '<=', end))
      .$if(place !== null, (query) => query.where('id', '>', place))
      .orderBy('id')
      .limit(this.#size)
  }

  #narrowed(): Query {
    return this.#source.narrowed(this.#options)
  }

  async #begin(): Promise<void> {
    if (this.#options.snapshot === true) {
      this.#end = await this.#outermostId('desc')
      this.#isOver = this.#end === null
    }
    this.#hasBegun = true
  }

  /** Returns the smallest id of the list's tenant for `asc`, and the largest for `desc`; null if it has no rows. */
  async #outermostId(direction: 'asc' | 'desc'): Promise<RecordId | null> {
    const row = await this.#source
      .unscoped()
      .select('id')
      .orderBy('id', direction)
      .limit(sql.lit(1))
      .executeTakeFirst()
    return row === undefined ? null : idOf(row)
  }
}

function shareOf(place: number, first: number, last: number): number {
  const share = last > first ? (place - first) / (last - first) : 1
  return Math.min(1, Math.max(0, share))
}

export const idOf = (row: object): RecordId => (row as { id: RecordId }).id

/** Returns a position as JSON, with the table and the id of the last returned row: `["posts",42]`. */
const writePosition = ({ table }: Resource, id: RecordId): string => JSON.stringify([table, id])

/** Returns the id of a position. Throws if it is malformed, or if it belongs to another table. */
function readPosition({ table, idKind }: Resource, position: string): RecordId {
  const read = z.tuple([z.literal(table), z.union([z.number(), z.string()])]).safeParse(parsedJson(position))
  const id = read.success ? storedId(idKind, read.data[1]) : null
  if (id !== null) return id
  throw new Error(
    `Not a position of a walk over ${table}: ${position.slice(0, 100)}. ` +
      'Pass the walk.position of a walk over this table, or null to begin.',
  )
}
