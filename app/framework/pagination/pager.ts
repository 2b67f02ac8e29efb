import type { Page } from './page.ts'
import { pageWindow } from './page-window.ts'

export interface PagerOptions {
  /** Where the links lead: a path on this site, without query. */
  readonly basePath: string
  /** The current query, with or without `?`. Links keep it as it is, but for `page` and `cursor`. */
  readonly query?: string
  /** CSS selector of what htmx replaces. Without it links are plain and the other hx options add nothing. */
  readonly hxTarget?: string
  readonly hxPushUrl?: boolean
  readonly hxSwap?: string
  readonly hxSelect?: string
  /** How many pages show on each side of the current one, a whole number: 1 unless told. */
  readonly window?: number
  /** Names the pager and starts its ids, so it has to differ between two pagers of one page. */
  readonly label?: string
  readonly labels?: Partial<PagerLabels>
}

export interface PagerLabels {
  readonly previous: string
  readonly next: string
  readonly page: (number: number) => string
  readonly gap: (from: number, to: number) => string
}

/** What a link needs besides its text; `hx` holds ready attributes, none without `hxTarget`. */
export interface PagerLink {
  readonly href: string
  readonly hx: readonly (readonly [name: string, value: string])[]
}

export type PagerSlot =
  | (PagerLink & { readonly text: string; readonly label: string; readonly current: boolean })
  | { readonly gap: string }

export interface PagerModel {
  readonly id: string
  readonly label: string
  /** A null link is a disabled end. */
  readonly previous: { readonly text: string; readonly link: PagerLink | null }
  readonly next: { readonly text: string; readonly link: PagerLink | null }
  readonly slots: readonly PagerSlot[]
}

const ENGLISH: PagerLabels = {
  previous: 'Previous',
  next: 'Next',
  page: (number) => `Page ${number}`,
  gap: (from, to) => `Pages ${from} to ${to} not shown`,
}

/** What a view prints of a pager. Throws where `basePath` leads off this site or `window` is negative. */
export function pagerModel(page: Page<unknown>, options: PagerOptions): PagerModel {
  const { label = 'Pagination', window = 1 } = options
  const labels = { ...ENGLISH, ...options.labels }
  const href = pageHref(options)
  const link = (number: number) => pagerLink(href(number), options)
  // Beyond the end the page before may be as empty as this one: back means the last page that exists.
  const previous = Math.min(page.page - 1, page.total_pages)
  return {
    id: label.toLowerCase().replace(/\s+/g, '-'),
    label,
    previous: { text: labels.previous, link: page.has_previous ? link(previous) : null },
    next: { text: labels.next, link: page.has_next ? link(page.page + 1) : null },
    slots: pageWindow(page.page, page.total_pages, window).map((slot) => {
      if ('gap' in slot) return { gap: labels.gap(...slot.gap) }
      const { page: number } = slot
      const current = number === page.page
      return { ...link(number), text: String(number), label: labels.page(number), current }
    }),
  }
}

function pagerLink(href: string, { hxTarget, hxSwap, hxSelect, hxPushUrl }: PagerOptions): PagerLink {
  if (!hxTarget) return { href, hx: [] }
  const attributes: [string, string | undefined][] = [
    ['hx-get', href],
    ['hx-target', hxTarget],
    // The last click wins: an earlier answer that comes late must not replace the page that was asked for since.
    ['hx-sync', `${hxTarget}:replace`],
    ['hx-swap', hxSwap],
    ['hx-select', hxSelect],
    ['hx-push-url', hxPushUrl ? 'true' : undefined],
  ]
  return { href, hx: attributes.filter((pair): pair is [string, string] => Boolean(pair[1])) }
}

function pageHref({ basePath, query = '' }: PagerOptions): (page: number) => string {
  const path = sitePath(basePath)
  // A bare # would end the query there, and the page behind it would never be sent.
  const parts = query.replace(/^\?/, '').replaceAll('#', '%23').split('&')
  const place = parts.findIndex((part) => paramName(part) === 'page')
  const end = place < 0 ? parts.length : place
  const before = parts.slice(0, end).filter(isKept)
  const after = parts.slice(end).filter(isKept)
  return (page) => `${path}?${[...before, `page=${page}`, ...after].join('&')}`
}

// `cursor` goes too: it is another way to say where in the list one is.
const isKept = (part: string): boolean => part !== '' && !['page', 'cursor'].includes(paramName(part))

/** The name as `pageRequest` reads it: `p%61ge` is `page`. The `&` keeps a leading `?` part of the name. */
const paramName = (part: string): string => [...new URLSearchParams(`&${part}`).keys()].join()

const SITE = 'http://site.invalid'

function sitePath(basePath: string): string {
  // The parser reads it like a browser does, to which `/\host` is another site as well.
  const leadsHere = basePath.startsWith('/') && URL.parse(basePath, SITE)?.origin === SITE
  if (leadsHere && !/[?#]/.test(basePath)) return basePath
  throw new Error(
    `A pager's basePath must be a path on this site, like '/posts', got ${JSON.stringify(basePath)}: ` +
      'start it with a single slash and pass parameters as query',
  )
}
