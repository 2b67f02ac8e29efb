import { sql, type SqlBool } from 'kysely'
import type { CursorPage } from '../pagination/cursor-page.ts'
import type { CursorRequest } from '../pagination/cursor-request.ts'
import { orderText } from '../pagination/keyset.ts'
import { ofList } from '../pagination/page-size.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { countRows } from './count-rows.ts'
import { type CursorList, inOrder } from './cursor-slice.ts'
import { readCursorPage } from './cursor-walk.ts'
import { foundRows, MOST_FOUND } from './found-rows.ts'
import type { ListOptions, ListSource } from './list-source.ts'
import { lists } from './list-statement.ts'

/** `refuse` responds with 400, and `restart` shows the first page. */
export type InvalidCursorResponse = 'refuse' | 'restart'

export interface CursorPageOptions<R extends Resource> extends ListOptions<R> {
  /** The response to an invalid cursor; defaults to the repository's `cursorErrors`. */
  invalidCursor?: InvalidCursorResponse
}

/** The cursor pages of a repository. */
export interface CursorPages<R extends Resource> {
  /**
   * Returns the page at the request's cursor, in the order of the list. The cost is the same at any depth. A search
   * or a filter costs a count of up to 1,000 rows in addition. If rows are inserted or deleted between two requests, other rows are neither repeated nor skipped. A row whose key changes may
   * appear twice or not at all.
   *
   * A cursor is only valid for the list with the same order and filters. Compute values that differ in each request,
   * such as the current time, in SQL (`now()`): as a parameter, they would make each cursor invalid.
   */
  cursorPage(request: CursorRequest, options?: CursorPageOptions<R>): Promise<CursorPage<RowOf<R>>>
}

export function cursorPages<R extends Resource>(
  source: ListSource<R>,
  invalidCursor: InvalidCursorResponse,
): CursorPages<R> {
  async function listOf(options: CursorPageOptions<R>, { sizes }: CursorRequest): Promise<CursorList> {
    const found = source.isNarrowed(options) ? await countRows(source, options, MOST_FOUND) : Infinity
    const isFound = found <= MOST_FOUND
    const { resource } = source
    const keys = source.order(options)
    const condition = source.condition(options)
    const rows = (narrowed = condition) =>
      isFound ? foundRows(source.rows(options, narrowed)) : source.rows(options, narrowed)
    return {
      name: resource.name,
      query: rows,
      async read(range) {
        if (found === 0) return []
        return lists.execute({
          resource,
          shape: isFound ? null : source.shape(options, `cursor (${orderText(range.keys)})`),
          condition:
            range.condition === null ? condition : sql<SqlBool>`(${condition}) and (${range.condition})`,
          numbers: [range.limit],
          isFrequent: range.condition === null && range.limit === sizes.default + 1,
          build: ({ condition: narrowed, numbers: [most = 0] }) => inOrder(rows(narrowed), range.keys, most),
        })
      },
      checkedAs: JSON.stringify([resource.table, ...keys.map(({ column, nulls }) => [column, nulls])]),
      keys,
      filter: source.filterText(options),
      invalidCursor: options.invalidCursor ?? invalidCursor,
    }
  }
  return {
    async cursorPage(request, options = {}) {
      const page = await readCursorPage(
        (read) => source.reading(options, async () => read(await listOf(options, request))),
        request,
      )
      const content = source.toRows(page.content)
      return ofList({ ...page, content }, request.sizes, () => source.state(options))
    },
  }
}
