import type { Request } from 'express'
import { httpSettings } from './settings.ts'

/** Returns whether the path belongs to the JSON API, which ignores the `Accept` header. */
export function isApi(req: Request): boolean {
  const { apiPrefix } = httpSettings(req.app)
  return req.path === apiPrefix || req.path.startsWith(`${apiPrefix}/`)
}

export const isHtmx = (req: Request): boolean => req.get('HX-Request') === 'true'

/** Returns whether the user clicked the link of `load_more.eta`. Automatic requests have another `HX-Source`. */
export const isLoadMoreClick = (req: Request): boolean =>
  req.get('HX-Source')?.endsWith('-more-link') ?? false

/** Returns whether the request is from `search_form.eta`, in which the user may still be typing. */
export const isSearch = (req: Request): boolean => /^form#(?:.+_)?search$/.test(req.get('HX-Source') ?? '')

const JSON_TYPES = ['application/json', 'application/problem+json']

/**
 * Returns whether the client prefers JSON to a page, by the `q` weights of `Accept`. Of equal weights, the first one
 * counts. htmx always gets pages.
 */
export const prefersJson = (req: Request): boolean =>
  !isHtmx(req) && JSON_TYPES.includes(req.accepts(['text/html', ...JSON_TYPES]) || '')

export const answersJson = (req: Request): boolean => isApi(req) || prefersJson(req)
