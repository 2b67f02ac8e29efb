import type { CursorPage } from './cursor-page.ts'
import { wording } from './pager-labels.ts'
import { elementId, linksBy, type PagerOptions } from './pager-links.ts'

/** Returns the template data of the pager of a cursor page. Throws if `basePath` leads to another site. */
export function cursorPagerModel(page: CursorPage<unknown>, options: PagerOptions) {
  const { previous, next, pagination } = wording(options)
  const { label = pagination } = options
  const toRows = linksBy('cursor', options)
  const end = (text: string, cursor: string | null) => ({
    text,
    link: cursor === null ? null : toRows(cursor),
  })
  return {
    id: elementId(label),
    label,
    previous: end(previous, options.prevCursor ?? page.prev_cursor),
    next: end(next, page.next_cursor),
  }
}
