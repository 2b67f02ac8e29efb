import type { Request, Response } from 'express'
import type { Eta } from 'eta'
import { type Flash, takeFlash } from './flash.ts'
import { listHelpers } from './list-helpers.ts'
import { isHtmx, isLoadMoreClick, isSearch } from '../negotiation.ts'
import { keptQuery } from '../../pagination/search-form/record-field.ts'
import { pagerViews } from './pager-views.ts'
import { pathTo } from '../routes/path-to.ts'
import { httpSettings, isOpenTo, responses, type Viewer } from '../settings.ts'
import { humanize } from '../../resource/humanize.ts'
import { excerpt, formatDate, formatDateTime, formatMoney, formatRelative, time } from './view-helpers.ts'
import { renderView } from './view-errors.ts'
import { inContext } from './views.ts'

/** Renders `views/<view>.eta` for the viewer, and sends it. The room `views` checks the types of the data. */
export async function render(res: Response, view: string, data: object = {}): Promise<void> {
  const { viewer } = httpSettings(res.req.app)
  const [me, flash] = await Promise.all([viewer(res.req), takeFlash(res.req)])
  sendPage(res, view, { me, flash, data })
}

interface Page {
  readonly me: Viewer | null
  readonly flash: Flash | null
  readonly data: object
}

/** Sends a page with `data` and the helpers. Reads neither the viewer nor the flash message. */
export function sendPage(res: Response, view: string, { me, flash, data }: Page): void {
  const { views, name, nav, routes, pageData } = httpSettings(res.req.app)
  const context = {
    ...routes,
    ...pageData?.(res.req),
    me,
    flash,
    appName: name,
    nav: nav.filter((link) => isOpenTo(link, me)),
    ...pageHelpers(res.req, views),
  }
  const html = renderView(views, `/${view}`, inContext(context, data))
  if (res.hasHeader('Vary')) res.vary(VARY)
  else res.setHeader('Vary', VARY)
  responses.sendHtml(res, html)
}

/** The request headers that pages depend on. */
const VARY = 'Accept, HX-Request, HX-Source'

/** Returns the helpers that every view of this request has under `it`. */
export function pageHelpers(req: Request, views: Eta) {
  const basePath = req.baseUrl + req.path
  const query = keptQuery(/\?.*/s.exec(req.originalUrl)?.[0] ?? '')
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
    formatMoney,
    formatRelative,
    humanize,
    pathTo,
    time,
    ...listHelpers(views, { basePath, query }),
    ...pagerViews(views, { basePath, query }),
  }
}
