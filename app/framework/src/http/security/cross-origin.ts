import type { Request, RequestHandler } from 'express'
import { HttpError } from '../errors.ts'
import { markLayer } from '../routes/layers.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Returns middleware that refuses writes from pages of other sites with a 403 (`cross_origin`), which protects against
 * CSRF without tokens. It checks `Sec-Fetch-Site` and `Origin`, which every browser sends. It accepts a request with
 * neither header, because that request is not from a browser. `ownOrigins` returns the origin of the own pages, or several.
 */
export function refuseCrossOrigin(ownOrigins: (req: Request) => string | readonly string[]): RequestHandler {
  const check: RequestHandler = function refuseCrossOrigin(req, _res, next) {
    if (!SAFE.has(req.method) && !isOurs(req, ownOrigins(req))) throw new HttpError(403, 'cross_origin')
    next()
  }
  return markLayer(check, { is: 'cross-origin check' })
}

/** Returns whether a browser sent the request for a page of another origin. Old browsers don't send the header. */
export function isFromOtherSite(req: Request): boolean {
  const site = req.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

function isOurs(req: Request, ownOrigins: string | readonly string[]): boolean {
  const { origin } = req.headers
  return !isFromOtherSite(req) && (origin === undefined || [ownOrigins].flat().includes(origin))
}
