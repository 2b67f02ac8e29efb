import { type ListParam, listParam } from './list-param.ts'
import type { PagerLanguage } from './pager-labels.ts'

export interface PagerOptions extends PagerLanguage {
  /** Where the links lead: a path on this site, without query. */
  readonly basePath: string
  /** The current query, with or without `?`. Links keep it as it is, but for `page` and `cursor`. */
  readonly query?: string
  /** Begins the names of this list's parameters, for several lists on a page: `comments` reads `comments_page`. */
  readonly prefix?: string
  /** CSS selector of what htmx replaces. Without it links are plain and the other hx options add nothing. */
  readonly hxTarget?: string
  readonly hxPushUrl?: boolean
  readonly hxSwap?: string
  readonly hxSelect?: string
  /** Names the pager and starts its ids, so it has to differ between two pagers of one page. */
  readonly label?: string
  /** How many pages show on each side of the current one, a whole number: 1 unless told. */
  readonly window?: number
  /** The first page's address goes without `page=1`. */
  readonly omitFirstPage?: boolean
  /** Where previous leads in a list that is walked by cursor, instead of where the page says. */
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
  const path = sitePath(options.basePath)
  const param = listParam(name, options.prefix)
  const parts = queryParts(options)
  const place = parts.findIndex((part) => nameOf(part) === param)
  const end = place < 0 ? parts.length : place
  const before = parts.slice(0, end).filter(isKept(POSITION, options))
  const after = parts.slice(end).filter(isKept(POSITION, options))
  return (value) => {
    const own = value === null ? [] : [`${param}=${encodeURIComponent(value)}`]
    const query = [...before, ...own, ...after].join('&')
    const href = query === '' ? path : `${path}?${query}`
    return { href, hx: hxAttributes(href, options) }
  }
}

// `cursor` goes with `page`: it is another way to say where in the list one is.
const POSITION: readonly ListParam[] = ['page', 'cursor']

/** Where a form leads that changes `name`, and what it has to send along: everything but the place in the list. */
export function formBy(name: 'page' | 'size', options: PagerOptions) {
  const action = sitePath(options.basePath)
  return {
    action,
    hx: hxAttributes(action, options),
    name: listParam(name, options.prefix),
    kept: queryParts(options)
      .filter(isKept([...POSITION, name], options))
      .flatMap((part) => [...paramsOf(part)]),
  }
}

/** An id to start others with, from what names a pager. */
export const idOf = (label: string): string => label.toLowerCase().replace(/\s+/g, '-')

function hxAttributes(href: string, { hxTarget, hxSwap, hxSelect, hxPushUrl }: PagerOptions): HxAttributes {
  if (!hxTarget) return []
  const attributes: [string, string | undefined][] = [
    ['hx-get', href],
    ['hx-target', hxTarget],
    // The last click wins: an earlier answer that comes late must not replace the page that was asked for since.
    ['hx-sync', `${hxTarget}:replace`],
    ['hx-swap', hxSwap],
    ['hx-select', hxSelect],
    ['hx-push-url', hxPushUrl ? 'true' : undefined],
  ]
  return attributes.filter((pair): pair is [string, string] => Boolean(pair[1]))
}

// A bare # would end the query there, and the page behind it would never be sent.
const queryParts = ({ query = '' }: PagerOptions): string[] =>
  query
    .replace(/^\?/, '')
    .replaceAll('#', '%23')
    .split('&')
    .filter((part) => part !== '')

function isKept(replaced: readonly ListParam[], { prefix }: PagerOptions): (part: string) => boolean {
  const names = replaced.map((name) => listParam(name, prefix))
  return (part) => !names.includes(nameOf(part))
}

/** As `pageRequest` reads it: `p%61ge` is `page`. The `&` keeps a leading `?` part of the name. */
const paramsOf = (part: string): URLSearchParams => new URLSearchParams(`&${part}`)

const nameOf = (part: string): string => [...paramsOf(part).keys()].join()

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
