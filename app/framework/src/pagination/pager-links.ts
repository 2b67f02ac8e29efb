import { listHref, paramsBut } from './list-links.ts'
import { listParam, type OfList } from './list-param.ts'
import type { PagerLanguage } from './pager-labels.ts'

/** How htmx replaces a part of the page after a click. */
export interface Swap {
  /** CSS selector of what htmx replaces. Without it links are plain and the other hx options add nothing. */
  readonly hxTarget?: string
  readonly hxPushUrl?: boolean
  readonly hxSwap?: string
  readonly hxSelect?: string
  /**
   * Where an error is shown, as the value of `hx-status`. If `hxSelect` is set, it defaults to replacing the whole
   * page with the error page.
   */
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

/** The htmx attributes; empty without `hxTarget`. */
export type HxAttributes = readonly (readonly [name: string, value: string])[]

/** The URL and the attributes of a link. */
export interface PagerLink {
  readonly href: string
  readonly hx: HxAttributes
}

/** The previous or next link; disabled if `link` is null. */
export interface PagerEnd {
  readonly text: string
  readonly link: PagerLink | null
}

/**
 * Returns a function that makes links which differ only in one parameter; null removes it. Throws if `basePath` leads
 * to another site.
 */
export function linksBy(name: 'page' | 'cursor', options: PagerOptions): (value: string | null) => PagerLink {
  const basePath = sitePath(options.basePath)
  return (value) => {
    const changes = { ...beginning(options.prefix), [listParam(name, options.prefix)]: value }
    const href = listHref({ ...options, basePath }, changes)
    return { href, hx: hxAttributes(href, options) }
  }
}

/** Removes the place in a list from a query: `page` and `cursor`, which both state it. */
export const beginning = (prefix?: string): Record<string, null> => ({
  [listParam('page', prefix)]: null,
  [listParam('cursor', prefix)]: null,
})

/**
 * Returns the target of a form that changes `name`, and its hidden fields: all parameters except the place in the
 * list.
 */
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

/** Returns the beginning of the element ids of the pager with this label. */
export const elementId = (label: string): string => label.toLowerCase().replace(/\s+/g, '-')

const WHOLE_PAGE = 'target:body select:null swap:"innerHTML show:top"'

/** The htmx attributes of a link or a form. */
export function hxAttributes(href: string, swap: Swap): HxAttributes {
  const { hxTarget, hxSwap, hxSelect, hxPushUrl } = swap
  if (!hxTarget) return []
  // An error page doesn't contain the selected part, so that nothing would be swapped in.
  const hxError = swap.hxError ?? (hxSelect && WHOLE_PAGE)
  const attributes: [string, string | undefined][] = [
    ['hx-get', href],
    ['hx-target', hxTarget],
    // The last click wins: a late response must not replace the page that was requested after it.
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
  // Parsed as a browser does: for it, `/\host` is another site too.
  const leadsHere = basePath.startsWith('/') && URL.parse(basePath, SITE)?.origin === SITE
  if (leadsHere && !/[?#]/.test(basePath)) return basePath
  throw new Error(
    `A pager's basePath must be a path on this site, like '/posts', got ${JSON.stringify(basePath)}: ` +
      'start it with a single slash and pass parameters as query',
  )
}
