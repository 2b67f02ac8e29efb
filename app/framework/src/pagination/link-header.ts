import type { CursorPage } from './cursor-page.ts'
import { type ListAddress, listHref } from './list-links.ts'
import { type AnyPage, isCapped, lastPage, pageBefore } from './page.ts'

/** Proxies and clients limit the size of headers, and each link repeats the whole URL. */
const MAX_LENGTH = 4_096

/**
 * Returns the `Link` header (RFC 8288) of a page: first, prev, next and last for numbered pages, prev and next for
 * cursor pages. `last` is omitted if not all rows were counted. Returns an empty string if there are no links, and if
 * the header would exceed 4,096 characters.
 */
export function linkHeader(page: AnyPage | CursorPage<unknown>, address: ListAddress): string {
  const header = Object.entries('next_cursor' in page ? besideCursor(page) : besideNumber(page))
    .flatMap(([rel, changes]) =>
      changes === null ? [] : `<${uri(listHref(address, changes))}>; rel="${rel}"`,
    )
    .join(', ')
  return header.length > MAX_LENGTH ? '' : header
}

type Changes = Readonly<Record<'page' | 'cursor', string | null>>

const numbered = (page: number): Changes => ({ page: String(page), cursor: null })
const fromCursor = (cursor: string | null): Changes | null =>
  cursor === null ? null : { page: null, cursor }

const besideCursor = ({ prev_cursor, next_cursor }: CursorPage<unknown>) => ({
  prev: fromCursor(prev_cursor),
  next: fromCursor(next_cursor),
})

function besideNumber(page: AnyPage) {
  const last = isCapped(page) ? null : lastPage(page)
  return {
    first: numbered(1),
    prev: page.has_previous ? numbered(pageBefore(page)) : null,
    next: page.has_next ? numbered(page.page + 1) : null,
    last: last === null ? null : numbered(last),
  }
}

/**
 * Encodes the characters that are not allowed in a header, or between the `<` and `>` of a link, and commas, at which
 * many clients split the header.
 */
const uri = (href: string): string =>
  href.toWellFormed().replaceAll(/[^\x21-\x7e]|["<>\\^`{|},]/gu, encodeURIComponent)
