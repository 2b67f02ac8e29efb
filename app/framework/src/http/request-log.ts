import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { isProbeOrAsset } from './cheap-requests.ts'
import { describeError } from './describe-error.ts'
import { loadPinoHttp } from './server-packages.ts'

const CLIENT_ID = /^[A-Za-z0-9-]{8,64}$/

/**
 * Returns middleware that logs one line per response and sets `X-Request-Id`. It never logs query strings, bodies or
 * cookies. Requests for `/livez`, `/readyz` and assets are not logged.
 */
export function requestLog(logger: Logger): RequestHandler {
  const log = loadPinoHttp().pinoHttp({
    logger,
    genReqId(req, res) {
      const header = req.headers['x-request-id']
      const id = typeof header === 'string' && CLIENT_ID.test(header) ? header : randomUUID()
      res.setHeader('X-Request-Id', id)
      return id
    },
    serializers: {
      req: withoutQuery,
      res: ({ statusCode }: ServerResponse) => ({ status: statusCode }),
      err: describeError,
    },
    customLogLevel: (_req, res, error) => (error !== undefined || res.statusCode >= 500 ? 'error' : 'info'),
    autoLogging: { ignore: (req) => isProbeOrAsset(req) },
    wrapSerializers: false,
  })
  return function requestLog(req, res, next) {
    log(req, res, next)
  }
}

const withoutQuery = (req: IncomingMessage & { id?: unknown }) => ({
  id: req.id,
  method: req.method,
  path: req.url?.split('?', 1)[0],
})
