import { memoize } from '../resource/memoize.ts'
import { listHref, paramsBut } from './list-links.ts'
import { listParam, type OfList } from './list-param.ts'
import type { PagerLanguage } from './pager-labels.ts'

/** How htmx replaces a part of the page after a click. */
export interface Swap {
  /** The CSS selector of the element that htmx replaces. Without it, links are plain and the other options ignored. */
  readonly hxTarget?: string
  readonly hxPushUrl?: boolean
  readonly hxSwap?: string
  readonly hxSelect?: string
  /**
   * The CSS selectors of other elements that htmx also takes from the response, separated by commas: of the other lists
   * of the page, whose links must keep the new page of this one.
   */
  readonly hxSelectOob?: string
  /**
   * The value of `hx-status`, which defines where htmx shows an error response. If `hxSelect` is set, it defaults to
   * replacing the whole page with the error page.
   */
  readonly hxError?: string
}

/** Options of `paginationNav` and `cursorPaginationNav` in views. */
export interface PagerOptions extends PagerLanguage, Swap, OfList {
  /** The path of the links, without query: a path on this site. */
  readonly basePath: string
  /** The current query, with or without `?`. Links keep all parameters except `page` and `cursor`. */
  readonly query?: string
  /** The name of the pager and the prefix of its element ids. Two pagers on one page need different labels. */
  readonly label?: string
  /** The number of pages on each side of the current page; defaults to 1. */
  readonly window?: number
  /** Omits `page=1` from links to the first page. */
  readonly omitFirstPage?: boolean
  /** The token of the link to the previous page. Defaults to `prev_cursor` of the page. */
  readonly prevCursor?: string | null
}

/** The htmx attributes; empty without `hxTarget`. */
export type HxAttributes = readonly (readonly [name: string, value: string])[]

/**
 * Returns a function that returns the URL and the attributes of the link for a value of `page` or `cursor`. Null removes
 * the parameter. Throws if `basePath` leads to another site.
 */
export function linksBy(name: 'page' | 'cursor', options: PagerOptions) {
  const address = { basePath: sitePath(options.basePath), query: options.query ?? '' }
  const param = listParam(name, options.prefix)
  const unchanged = beginning(options.prefix)
  const swap = swapAttributes(options)
  return (value: string | null) => {
    const href = listHref(address, { ...unchanged, [param]: value })
    return { href, hx: requesting(href, swap) }
  }
}

/** Returns the changes of the query that lead to the beginning of a list: without `page` and `cursor`. */
export const beginning = (prefix?: string): Readonly<Record<string, null>> => ({
  [listParam('page', prefix)]: null,
  [listParam('cursor', prefix)]: null,
})

/**
 * Returns the URL and the hidden fields of a form that changes `name`. The hidden fields `kept` are all parameters
 * except `name`, `page` and `cursor`, with their decoded values.
 */
export function formBy(name: 'page' | 'size', options: PagerOptions) {
  const action = sitePath(options.basePath)
  const param = listParam(name, options.prefix)
  return {
    action,
    hx: hxAttributes(action, options),
    name: param,
    kept: paramsBut(options.query, [...Object.keys(beginning(options.prefix)), param]),
  }
}

/** Returns the prefix of the element ids of a pager. */
export const elementId = (label: string): string => label.toLowerCase().replace(/\s+/g, '-')

const WHOLE_PAGE = 'target:body select:null swap:"innerHTML show:top"'

/** Returns the htmx attributes of a link or a form. */
export const hxAttributes = (href: string, swap: Swap): HxAttributes => requesting(href, swapAttributes(swap))

const requesting = (href: string, swap: HxAttributes): HxAttributes =>
  swap.length === 0 ? swap : [['hx-get', href], ...swap]

/**
 * Returns the htmx attributes of an element around links, which inherit them: each link then needs only `hx-get`. Empty
 * without `hxTarget`.
 */
export const inheritedAttributes = (swap: Swap): HxAttributes =>
  swapAttributes(swap).map(([name, value]) => [`${name}:inherited`, value])

/** Returns the attributes that are equal for all links of a list. */
function swapAttributes(swap: Swap): HxAttributes {
  const { hxTarget, hxSwap, hxSelect, hxSelectOob, hxPushUrl } = swap
  if (!hxTarget) return []
  // A click cancels the running request: its late response must not replace the newer page.
  const attributes: [string, string][] = [
    ['hx-target', hxTarget],
    ['hx-sync', `${hxTarget}:replace`],
  ]
  if (hxSwap) attributes.push(['hx-swap', hxSwap])
  if (hxSelect) attributes.push(['hx-select', hxSelect])
  if (hxSelectOob) attributes.push(['hx-select-oob', hxSelectOob])
  if (hxPushUrl) attributes.push(['hx-push-url', 'true'])
  // An error page doesn't contain the selected element. Without this option, htmx would show nothing.
  const hxError = swap.hxError ?? (hxSelect && WHOLE_PAGE)
  if (hxError) attributes.push(['hx-status:4xx', hxError], ['hx-status:5xx', hxError])
  return attributes
}

const SITE = 'http://site.invalid'

/** The number of paths that are kept as checked. */
const PATHS = 100

const sitePath = memoize((basePath: string): string => {
  // Parses the path as a browser does: `/\host` also leads to another site.
  const leadsHere = basePath.startsWith('/') && URL.parse(basePath, SITE)?.origin === SITE
  if (leadsHere && !/[?#]/.test(basePath)) return basePath
  throw new Error(
    `The pager's basePath is ${JSON.stringify(basePath)}, which is not a path on this site like '/posts'. ` +
      'Start it with a single slash, and pass parameters as query.',
  )
}, PATHS)
