import type { Resource, RowOf } from '../resource/resource.ts'
import { type Batching, batching } from './batches/batching.ts'
import type { CursorOrder } from './cursor-keys.ts'
import { type CursorPages, cursorPages } from './cursor-pages.ts'
import type { ListOptions, ListSource } from './list-source.ts'
import { type OffsetPages, offsetPages } from './offset-pages.ts'

/** The lists of a repository, as `visibleTo` and `asSystem` return them: newest first, unless the query sorts them. */
export interface Listing<R extends Resource> extends OffsetPages<R>, Batching<R> {
  /** Returns every row of the list, without a limit. */
  findAll(options?: ListOptions<R>): Promise<RowOf<R>[]>
}

/** `CursorPages` if the repository declares their order. */
export type CursorPagesOf<R extends Resource, Options> = Options extends
  { cursorKey: string } | { keys: readonly object[] }
  ? CursorPages<R>
  : unknown

/** Returns the lists of a source, including cursor pages if `order` is not null. */
export function listing<R extends Resource>(
  source: ListSource<R>,
  order: CursorOrder | null = null,
): Listing<R> & Partial<CursorPages<R>> {
  return {
    findAll: (options = {}) => source.reading(options, () => source.read(source.ordered(options))),
    ...offsetPages(source),
    ...batching(source),
    ...(order && cursorPages(source, order)),
  }
}
