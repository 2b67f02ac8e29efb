import type { Narrowing } from '../authorization/scope.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { type CursorPages, cursorPages } from './cursor-pages.ts'
import { type CursorOptions, declaredKeys } from './cursor-keys.ts'
import { type ListOptions, listSource } from './list-source.ts'
import { type OffsetPages, offsetPages } from './offset-pages.ts'

/** Lists of the rows that somebody may see, newest first. */
export interface Listing<R extends Resource> extends OffsetPages<R> {
  /** Every row; nothing limits it. */
  findAll(options?: ListOptions<R>): Promise<RowOf<R>[]>
}

/** What a repository lists: cursor pages only where it declares their order. */
export type ListingOf<R extends Resource, Options> = Listing<R> &
  (Options extends { cursorKey: string } | { keys: readonly object[] } ? CursorPages<R> : unknown)

/** The lists of a resource, each of its statements narrowed by `visible`. */
export function listing<R extends Resource, Options extends CursorOptions<R>>(
  resource: R,
  visible: Narrowing,
  options: Options = {} as Options,
): ListingOf<R, Options> {
  const source = listSource(resource, visible)
  const keys = declaredKeys(resource, options)
  const lists: Listing<R> = {
    // Ids rise as rows are added: newest first, and the same order every time.
    findAll: (options = {}) => source.read(source.rows(options).orderBy('id', 'desc')),
    ...offsetPages(source),
  }
  const walks = keys && cursorPages(source, keys, options.cursorErrors?.pages)
  return { ...lists, ...walks } as ListingOf<R, Options>
}
