import type { CursorPage } from './cursor-page.ts'
import { wording } from './pager-labels.ts'
import { elementId, linksBy, type PagerEnd, type PagerOptions } from './pager-links.ts'

interface CursorPagerModel {
  readonly id: string
  readonly label: string
  readonly previous: PagerEnd
  readonly next: PagerEnd
}

/** Returns the template data of the pager of a cursor page. Throws if `basePath` leads to another site. */
export function cursorPagerModel(page: CursorPage<unknown>, options: PagerOptions): CursorPagerModel {
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
