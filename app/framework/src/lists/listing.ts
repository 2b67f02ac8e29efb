import { storedId } from '../resource/record-id.ts'
import type { IdOf, Resource, RowOf } from '../resource/resource.ts'
import { type Batching, batching } from './batches/batching.ts'
import { type CursorPages, cursorPages, type InvalidCursorResponse } from './cursor-pages.ts'
import type { ListOptions, ListSource } from './list-source.ts'
import { type OffsetPages, offsetPages } from './offset-pages.ts'

/** The lists of a repository, as `visibleTo` and `asSystem` return them, in its `order` unless the query sorts them. */
export interface Listing<R extends Resource> extends OffsetPages<R>, CursorPages<R>, Batching<R> {
  /** Returns every row of the list, without a limit. */
  findAll(options?: ListOptions<R>): Promise<RowOf<R>[]>
  /** Returns the row with this id. Null if it is not in the list. */
  find(id: IdOf<R>): Promise<RowOf<R> | null>
}

/** Returns the lists of a source. `invalidCursor` is the response of its pages to an invalid cursor. */
export function listing<R extends Resource>(
  source: ListSource<R>,
  invalidCursor: InvalidCursorResponse = 'restart',
): Listing<R> {
  return {
    find: (id) => find(source, id),
    findAll: (options = {}) => source.reading(options, () => source.read(source.ordered(options))),
    ...offsetPages(source),
    ...batching(source),
    ...cursorPages(source, invalidCursor),
  }
}

async function find<R extends Resource>(source: ListSource<R>, id: IdOf<R>): Promise<RowOf<R> | null> {
  const key = storedId(source.resource.idKind, id)
  if (key === null) return null
  const rows = await source.reading({}, () => source.read(source.rows({}).where('id', '=', key)))
  return rows[0] ?? null
}
