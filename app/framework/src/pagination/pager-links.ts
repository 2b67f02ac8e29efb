import { listHref, paramsBut } from './list-links.ts'
import { listParam, type OfList } from './list-param.ts'
import type { PagerLanguage } from './pager-labels.ts'

/** What a click replaces. */
export interface Swap {
  /** CSS selector of what htmx replaces. Without it links are plain and the other hx options add nothing. */
  readonly hxTarget?: string
  readonly hxPushUrl?: boolean
  readonly hxSwap?: string
  readonly hxSelect?: string
  /** Where an error is shown, as `hx-status` takes it: a part of a page is replaced by the whole error page, unless told. */
  readonly hxError?: string
}

/** Options of the pagers, in views and for `paginationNav` and `cursorPaginationNav`. */
export interface PagerOptions extends PagerLanguage, Swap, OfList {
  /** The path of the links, without query: a path on this site. */
  readonly basePath: string
  /** The current query, with or without `?`. Links keep all of it but `page` and `cursor`. */
  readonly query?: string
  /** Names the pager and begins its element ids: two pagers on one page need different labels. */
  readonly label?: string
  /** How many pages are shown on each side of the current one; defaults to 1. */
  readonly window?: number
  /** Leaves `page=1` out of the links to the first page. */
  readonly omitFirstPage?: boolean
  /** The token of the link to the previous page, instead of the page's own. */
  readonly prevCursor?: string | null
}

/** Ready attributes, none without `hxTarget`. */
export type HxAttributes = readonly (readonly [name: string, value: string])[]

/** What a link needs besides its text. */
export interface PagerLink {
  readonly href: string
  readonly hx: HxAttributes
}

/** A disabled end where the link is null. */
export interface PagerEnd {
  readonly text: string
  readonly link: PagerLink | null
}

/** Links that differ in one parameter alone; null leaves it out. Throws where `basePath` leads off this site. */
export function linksBy(name: 'page' | 'cursor', options: PagerOptions): (value: string | null) => PagerLink {
  const basePath = sitePath(options.basePath)
  return (value) => {
    const changes = { ...beginning(options.prefix), [listParam(name, options.prefix)]: value }
    const href = listHref({ ...options, basePath }, changes)
    return { href, hx: hxAttributes(href, options) }
  }
}

/** The place in a list, taken out. `cursor` goes with `page`: it is another way to say where in the list one is. */
export const beginning = (prefix?: string): Record<string, null> => ({
  [listParam('page', prefix)]: null,
  [listParam('cursor', prefix)]: null,
})

/** Where a form leads that changes `name`, and what it has to send along: everything but the place in the list. */
export function formBy(name: 'page' | 'size', options: PagerOptions) {
  const action = sitePath(options.basePath)
  return {
    action,
    hx: hxAttributes(action, options),
    name: listParam(name, options.prefix),
    kept: paramsBut(options.query, [
      ...Object.keys(beginning(options.prefix)),
      listParam(name, options.prefix),
    ]),
  }
}

/** An id to start others with, from what names a pager. */
export const idOf = (label: string): string => label.toLowerCase().replace(/\s+/g, '-')

const WHOLE_PAGE = 'target:body select:null swap:"innerHTML show:top"'

/** What htmx does with a link or a form, beside its `href` or `action`. */
export function hxAttributes(href: string, swap: Swap): HxAttributes {
  const { hxTarget, hxSwap, hxSelect, hxPushUrl } = swap
  if (!hxTarget) return []
  // An error page has no such part, and would be swapped in as nothing.
  const hxError = swap.hxError ?? (hxSelect && WHOLE_PAGE)
  const attributes: [string, string | undefined][] = [
    ['hx-get', href],
    ['hx-target', hxTarget],
    // The last click wins: an earlier answer that comes late must not replace the page that was asked for since.
    ['hx-sync', `${hxTarget}:replace`],
    ['hx-swap', hxSwap],
    ['hx-select', hxSelect],
    ['hx-push-url', hxPushUrl ? 'true' : undefined],
    ['hx-status:4xx', hxError],
    ['hx-status:5xx', hxError],
  ]
  return attributes.filter((pair): pair is [string, string] => Boolean(pair[1]))
}

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
