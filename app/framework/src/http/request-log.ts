import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Express, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { isProbeOrAsset } from './cheap-requests.ts'
import { describeError } from './describe-error.ts'
import { Overloaded } from './errors.ts'

declare module 'node:http' {
  interface IncomingMessage {
    /** The id of the request, which is in its response and in the lines of the log. */
    id: string
    /** The log, whose lines contain the id of the request. */
    readonly log: Logger
  }
  interface ServerResponse {
    /** The error that the response is about, for the log. */
    err?: Error
    /** The shard that the request belongs to. */
    shard?: string
    /** The replica that lists were read from, for the log. */
    replica?: string
  }
}

const CLIENT_ID = /^[A-Za-z0-9-]{8,64}$/

/**
 * Returns middleware that logs one line per response and sets `X-Request-Id`. It never logs query strings, bodies or
 * cookies. Requests for `/livez`, `/readyz` and assets are not logged.
 */
export function requestLog(logger: Logger): RequestHandler {
  const log = logger.child({}, { serializers: { err: describeError } })
  return function requestLog(req, res, next) {
    const header = req.headers['x-request-id']
    req.id = typeof header === 'string' && CLIENT_ID.test(header) ? header : randomUUID()
    res.setHeader('X-Request-Id', req.id)
    const { request } = req.app as Express
    if (!Object.hasOwn(request, 'log')) addLog(request, logger)
    if (!isProbeOrAsset(req)) logAtEnd(req, res, log)
    next()
  }
}

/** Most requests write no other line, so the log of a request is created when it is used. */
function addLog(requests: IncomingMessage, logger: Logger): void {
  const get = function log(this: IncomingMessage) {
    return logger.child({ req: { id: this.id } })
  }
  Object.defineProperty(requests, 'log', { get })
}

function logAtEnd(req: IncomingMessage, res: ServerResponse, log: Logger): void {
  const startedAt = performance.now()
  // The method and the URL as they were sent, because middleware may change them.
  const request = { id: req.id, method: req.method, path: req.url?.split('?', 1)[0] }
  res.once('close', () => {
    const { err, shard, replica, statusCode: status, writableFinished: isSent } = res
    const refusal = err instanceof Overloaded ? err : null
    const line = {
      req: request,
      // The client of an incomplete response may not have received a status.
      res: { status: isSent ? status : null },
      ...(refusal !== null ? { reason: refusal.detail } : err !== undefined && { err }),
      ...(shard !== undefined && { shard }),
      ...(replica !== undefined && { replica }),
      responseTime: Math.round(performance.now() - startedAt),
    }
    if (refusal !== null) log.warn(line, 'request refused')
    else if (err !== undefined || status >= 500) log.error(line, 'request errored')
    else log.info(line, isSent ? 'request completed' : 'request aborted')
  })
}
