import type { Request, RequestHandler } from 'express'
import { HttpError } from './errors.ts'
import { know } from './known-layers.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses writes that another site's page sends, without tokens: browsers say where a request comes from.
 * `Sec-Fetch-Site` must be `same-origin` or `none`, and an `Origin`, if sent, ours. Neither = not a browser = allowed.
 */
export function refuseCrossOrigin(ownOrigin: (req: Request) => string): RequestHandler {
  const check: RequestHandler = function refuseCrossOrigin(req, _res, next) {
    if (!SAFE.has(req.method) && !isOurs(req, ownOrigin(req))) throw new HttpError(403, 'cross_origin')
    next()
  }
  return know(check, { is: 'cross-origin check' })
}

function isOurs({ headers }: Request, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return headers.origin === undefined || headers.origin === ownOrigin
}
