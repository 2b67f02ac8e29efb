import type { Resource, RowOf } from '../resource/resource.ts'
import { type Batching, batching } from './batches/batching.ts'
import { type CursorPages, cursorPages } from './cursor-pages.ts'
import { type CursorOptions, declaredKeys } from './cursor-keys.ts'
import type { ListOptions, ListSource } from './list-source.ts'
import { type OffsetPages, offsetPages } from './offset-pages.ts'

/** Lists of the rows that somebody may see, newest first. */
export interface Listing<R extends Resource> extends OffsetPages<R>, Batching<R> {
  /** Every row; nothing limits it. */
  findAll(options?: ListOptions<R>): Promise<RowOf<R>[]>
}

/** Cursor pages, only where their order is declared. */
export type CursorPagesOf<R extends Resource, Options> = Options extends
  { cursorKey: string } | { keys: readonly object[] }
  ? CursorPages<R>
  : unknown

/** The lists of a resource; each of their statements begins with the source. */
export function listing<R extends Resource, Options extends CursorOptions<R>>(
  source: ListSource<R>,
  options: Options = {} as Options,
): Listing<R> & CursorPagesOf<R, Options> {
  const lists: Listing<R> = {
    findAll: (asked = {}) => source.read(source.ordered(asked)),
    ...offsetPages(source),
    ...batching(source),
  }
  const keys = declaredKeys(source.resource, options)
  const walks = keys && cursorPages(source, keys, options.cursorErrors?.pages)
  return { ...lists, ...walks } as Listing<R> & CursorPagesOf<R, Options>
}
