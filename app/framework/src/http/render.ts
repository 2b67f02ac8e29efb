import type { Request, Response } from 'express'
import type { Eta } from 'eta'
import type { CursorPage } from '../pagination/cursor-page.ts'
import type { AnyPage } from '../pagination/page.ts'
import type { PagerOptions } from '../pagination/pager-links.ts'
import { takeFlash } from './flash.ts'
import { listHelpers } from './list-helpers.ts'
import { isHtmx, isLoadMoreClick } from './negotiation.ts'
import { pagerViews } from './pager-views.ts'
import { httpSettings, leadsIn, type Viewer } from './settings.ts'
import { excerpt, formatDate, formatDateTime, humanize } from './view-helpers.ts'
import { frameworkViews } from './views.ts'

/** The numbered pager of a page, as HTML: the partial `pagination_nav.eta`. In views it knows the current address. */
export function paginationNav(page: AnyPage, pager: PagerOptions): string {
  return pagerViews(frameworkViews(), { query: '', ...pager }).paginationNav(page, pager)
}

/** The pager of a list without page numbers, as HTML: the partial `cursor_pagination_nav.eta`. Views know the address. */
export function cursorPaginationNav(page: CursorPage<unknown>, pager: PagerOptions): string {
  return pagerViews(frameworkViews(), { query: '', ...pager }).cursorPaginationNav(page, pager)
}

/** Sends a page. In the view everything is under `it`: what is given here, and the helpers of every page. */
export async function render(res: Response, view: string, data: object = {}): Promise<void> {
  const { viewer } = httpSettings(res.req)
  const [me, flash] = await Promise.all([viewer(res.req), takeFlash(res.req)])
  sendPage(res, view, { ...data, me, flash })
}

interface PageData {
  readonly me: Viewer | null
  readonly [name: string]: unknown
}

/** Sends a page with nothing but `data` and the helpers that need no lookup. */
export function sendPage(res: Response, view: string, data: PageData): void {
  const { views, name, nav } = httpSettings(res.req)
  const links = nav.filter((link) => leadsIn(link, data.me))
  const html = renderView(views, view, { ...data, appName: name, nav: links, ...helpers(res.req, views) })
  res.vary('Accept').vary('HX-Request').vary('HX-Source').type('html').send(html)
}

function renderView(views: Eta, view: string, data: object): string {
  try {
    return views.render(`/${view}`, data)
  } catch (error) {
    // Eta quotes the compiled template; what helps is which file it was.
    const [what = ''] = (error as Error).message.split('\n')
    throw new Error(`views/${view}.eta, or a view it includes: ${what}`, { cause: error })
  }
}

function helpers(req: Request, views: Eta) {
  const basePath = req.baseUrl + req.path
  const query = /\?.*/s.exec(req.originalUrl)?.[0] ?? ''
  return {
    asset: httpSettings(req).assetUrl,
    basePath,
    // After a swap the link that was clicked is gone, and focus with it; a page of its own begins at its beginning.
    autofocus: isHtmx(req) ? 'autofocus' : '',
    // The first of the items that somebody asked for; items that come by themselves leave focus where it is.
    autofocusLoaded: isLoadMoreClick(req) ? 'autofocus' : '',
    excerpt,
    formatDate,
    formatDateTime,
    humanize,
    ...listHelpers(views, { basePath, query }),
    ...pagerViews(views, { basePath, query }),
  }
}
