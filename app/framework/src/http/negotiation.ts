import type { Request } from 'express'
import { httpSettings } from './settings.ts'

/** The JSON API answers JSON always, whatever the caller accepts. */
export function isApi(req: Request): boolean {
  const { apiPrefix } = httpSettings(req.app)
  return req.path === apiPrefix || req.path.startsWith(`${apiPrefix}/`)
}

export const isHtmx = (req: Request): boolean => req.get('HX-Request') === 'true'

/** The link of `load_more.eta` was clicked; the element around it, which loads by itself, has no such id. */
export const isLoadMoreClick = (req: Request): boolean =>
  req.get('HX-Source')?.endsWith('-more-link') ?? false

/** A page is what everybody gets who doesn't ask for JSON before it; htmx always swaps pages. */
export const prefersJson = (req: Request): boolean => !isHtmx(req) && req.accepts(['html', 'json']) === 'json'

export const answersJson = (req: Request): boolean => isApi(req) || prefersJson(req)
