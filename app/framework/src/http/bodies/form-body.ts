import type { RequestHandler } from 'express'
import { isRead } from '../cheap-requests.ts'
import { BadRequest } from '../errors.ts'
import { isApi } from '../negotiation.ts'
import { bodyReader } from './read-body.ts'
import { loadExpress } from '../server-packages.ts'

const METHODS = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Middleware that reads the forms of pages, up to 256 kB and 200 values; larger ones get a 413. A field `_method`
 * (PUT, PATCH or DELETE) replaces the method of a POST, since HTML forms only send GET and POST. Requests below
 * `apiPrefix` are not read.
 */
export const formBody: RequestHandler = async (req, res, next) => {
  if (!isRead(req) && !isApi(req)) {
    await readForm(req, res)
    req.method = methodOf(req.method, req.body as { _method?: unknown } | undefined)
  }
  next()
}

function methodOf(sent: string, body: { _method?: unknown } | undefined): string {
  if (sent !== 'POST' || body?._method === undefined) return sent
  if (typeof body._method === 'string' && METHODS.has(body._method)) return body._method
  throw new BadRequest('The field _method is invalid. Send PUT, PATCH or DELETE.')
}

const readForm = bodyReader(256 * 1024, (limit) =>
  loadExpress().urlencoded({ extended: false, limit, parameterLimit: 200, inflate: false }),
)
