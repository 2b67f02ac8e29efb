import { readRow } from '../database/rows.ts'
import type { CursorPage } from '../pagination/cursor-page.ts'
import type { CursorRequest } from '../pagination/cursor-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { CursorOrder } from './cursor-keys.ts'
import { readCursorPage } from './cursor-walk.ts'
import type { ListOptions, ListSource } from './list-source.ts'
import { orderOf } from './query-conditions.ts'

export interface CursorPageOptions<R extends Resource> extends ListOptions<R> {
  /** The response to an invalid cursor; defaults to the repository's `cursorErrors`. */
  invalidCursor?: 'refuse' | 'restart'
}

/** The lists of a repository that declares a `cursorKey` or `keys`. */
export interface CursorPages<R extends Resource> {
  /**
   * Returns the rows after the request's cursor, in the declared order, at the same cost at any depth. Rows that are
   * inserted or deleted meanwhile cause neither repeats nor gaps; a row whose key changes may appear twice or not at
   * all. A cursor is bound to the list's order and filters: compute values that differ with each request, such as the
   * time, in SQL (`now()`).
   */
  cursorPage(request: CursorRequest, options?: CursorPageOptions<R>): Promise<CursorPage<RowOf<R>>>
}

export function cursorPages<R extends Resource>(
  source: ListSource<R>,
  { keys, invalidCursor }: CursorOrder,
): CursorPages<R> {
  const { resource } = source
  return {
    async cursorPage(request, options = {}) {
      const page = await readCursorPage(
        {
          name: resource.name,
          query: source.rows(options),
          keys: options.query?.sort == null ? keys : orderOf(resource, options.query),
          filter: source.filterText(options),
          invalidCursor: options.invalidCursor ?? invalidCursor,
        },
        request,
      )
      return { ...page, content: page.content.map((stored) => readRow(resource, stored)) }
    },
  }
}
