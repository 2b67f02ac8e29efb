import type { Narrowing } from '../authorization/scope.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { type Batching, batching } from './batches/batching.ts'
import { type ListOptions, listSource } from './list-source.ts'
import { type OffsetPages, offsetPages } from './offset-pages.ts'

/** Lists of the rows that somebody may see, newest first. */
export interface Listing<R extends Resource> extends OffsetPages<R>, Batching<R> {
  /** Every row; nothing limits it. */
  findAll(options?: ListOptions<R>): Promise<RowOf<R>[]>
}

/** The lists of a resource, each of its statements narrowed by `visible`. */
export function listing<R extends Resource>(resource: R, visible: Narrowing): Listing<R> {
  const source = listSource(resource, visible)
  return {
    // Ids rise as rows are added: newest first, and the same order every time.
    findAll: (options = {}) => source.read(source.rows(options).orderBy('id', 'desc')),
    ...offsetPages(source),
    ...batching(source),
  }
}
