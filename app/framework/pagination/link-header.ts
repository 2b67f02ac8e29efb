import type { CursorPage } from './cursor-page.ts'
import { type ListAddress, listHref } from './list-links.ts'
import type { Page, UncountedPage } from './page.ts'

type AnyPage = Page<unknown> | UncountedPage<unknown> | CursorPage<unknown>

/**
 * The `Link` header (RFC 8288) that leads through a list, or an empty text where nothing leads anywhere: first, prev, next
 * and last of numbered pages, without last where nobody counted that far; prev and next of cursor pages.
 */
export function linkHeader(page: AnyPage, address: ListAddress): string {
  return Object.entries('next_cursor' in page ? besideCursor(page) : besideNumber(page))
    .filter(([, changes]) => changes !== null)
    .map(([rel, changes]) => `<${uri(listHref(address, changes ?? {}))}>; rel="${rel}"`)
    .join(', ')
}

type Changes = Readonly<Record<'page' | 'cursor', string | null>>

const numbered = (page: number): Changes => ({ page: String(page), cursor: null })
const fromCursor = (cursor: string | null): Changes | null => (cursor && { page: null, cursor }) || null

const besideCursor = ({ prev_cursor, next_cursor }: CursorPage<unknown>) => ({
  prev: fromCursor(prev_cursor),
  next: fromCursor(next_cursor),
})

function besideNumber(page: Page<unknown> | UncountedPage<unknown>) {
  const last = lastPage(page)
  // Beyond the end the page before may be as empty as this one: back means the last page that exists.
  const previous = last !== null && page.content.length === 0 ? Math.min(page.page - 1, last) : page.page - 1
  return {
    first: numbered(1),
    prev: page.has_previous ? numbered(previous) : null,
    next: page.has_next ? numbered(page.page + 1) : null,
    last: last === null ? null : numbered(last),
  }
}

/** Null where nobody knows. */
const lastPage = (page: Page<unknown> | UncountedPage<unknown>): number | null =>
  'total_pages' in page && page.total_is_capped !== true ? page.total_pages : null

/** A header is ASCII, and a link in it ends with `>`: what an address can't hold as it is, it holds encoded. */
const uri = (href: string): string =>
  href.toWellFormed().replaceAll(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encodeURIComponent)
