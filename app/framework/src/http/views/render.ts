import type { Request, Response } from 'express'
import type { Eta } from 'eta'
import type { CursorPage } from '../../pagination/cursor-page.ts'
import type { AnyPage } from '../../pagination/page.ts'
import type { PagerOptions } from '../../pagination/pager-links.ts'
import { takeFlash } from './flash.ts'
import { listHelpers } from './list-helpers.ts'
import { isHtmx, isLoadMoreClick, isSearch } from '../negotiation.ts'
import { pagerViews } from './pager-views.ts'
import { pathTo } from '../routes/path-to.ts'
import { httpSettings, isOpenTo, responses, type Viewer } from '../settings.ts'
import { humanize } from '../../resource/humanize.ts'
import { excerpt, formatDate, formatDateTime, formatRelative, time } from './view-helpers.ts'
import { viewError } from './view-errors.ts'
import { frameworkViews } from './views.ts'

/**
 * Returns the numbered pager of a page as HTML, for code outside of views; in views,
 * `it.paginationNav(page, options)` also knows the current URL. Throws if `basePath` is not a path on this site, or
 * if `window` is negative.
 */
export function paginationNav(page: AnyPage, pager: PagerOptions): string {
  return pagerViews(frameworkViews(), pager).paginationNav(page, pager)
}

/**
 * Returns the pager of a cursor page as HTML, for code outside of views; in views,
 * `it.cursorPaginationNav(page, options)` also knows the current URL. Throws if `basePath` is not a path on this
 * site.
 */
export function cursorPaginationNav(page: CursorPage<unknown>, pager: PagerOptions): string {
  return pagerViews(frameworkViews(), pager).cursorPaginationNav(page, pager)
}

/**
 * Renders `views/<view>.eta` and sends it. The view has `data` under `it`, together with `me` (the viewer), `flash`,
 * `nav`, `appName`, the named route tables and helpers such as `pathTo`, `paginationNav` and `formatDate`. Costs the application's `viewer`. Throws
 * with the name of the view if it doesn't exist or fails.
 *
 * ```ts
 * await render(res.status(422), 'posts/new', { form })
 * ```
 */
export async function render(res: Response, view: string, data: object = {}): Promise<void> {
  const { viewer } = httpSettings(res.req.app)
  const [me, flash] = await Promise.all([viewer(res.req), takeFlash(res.req)])
  sendPage(res, view, { ...data, me, flash })
}

interface PageData {
  readonly me: Viewer | null
  readonly [name: string]: unknown
}

/** Sends a page with `data` and the helpers. Reads neither the viewer nor the flash message. */
export function sendPage(res: Response, view: string, data: PageData): void {
  const { views, name, nav, routes, pageData } = httpSettings(res.req.app)
  const links = nav.filter((link) => isOpenTo(link, data.me))
  const html = renderView(views, view, {
    ...routes,
    ...pageData?.(res.req),
    ...data,
    appName: name,
    nav: links,
    ...helpers(res.req, views),
  })
  if (res.hasHeader('Vary')) res.vary(VARY)
  else res.setHeader('Vary', VARY)
  responses.sendHtml(res, html)
}

/** The request headers that pages depend on. */
const VARY = 'Accept, HX-Request, HX-Source'

function renderView(views: Eta, view: string, data: object): string {
  try {
    return views.render(`/${view}`, data)
  } catch (error) {
    // oxlint-disable-next-line eslint/preserve-caught-error -- viewError returns it with its cause
    throw viewError(error as Error, views, `${view}.eta`)
  }
}

function helpers(req: Request, views: Eta) {
  const basePath = req.baseUrl + req.path
  const query = /\?.*/s.exec(req.originalUrl)?.[0] ?? ''
  return {
    asset: httpSettings(req.app).assetUrl,
    basePath,
    // A swap removes the clicked link and its focus, but not a search field. A full page load starts at the top.
    autofocus: isHtmx(req) && !isSearch(req) ? 'autofocus' : '',
    // Focuses the first new item after a click. Automatic loading doesn't move the focus.
    autofocusLoaded: isLoadMoreClick(req) ? 'autofocus' : '',
    excerpt,
    formatDate,
    formatDateTime,
    formatRelative,
    humanize,
    pathTo,
    time,
    ...listHelpers(views, { basePath, query }),
    ...pagerViews(views, { basePath, query }),
  }
}
