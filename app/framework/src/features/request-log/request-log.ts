import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Express, Request, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { isProbeOrAsset, pathnameOf } from '../../http/cheap-requests.ts'
import { describeError } from '../../http/describe-error.ts'
import { isRefusal } from '../../http/errors.ts'

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
    /** The id of the signed-in user, for the log. Undefined if no session was read. */
    userId?: number
  }
}

/** An id of the client or of a proxy. Others could forge the text of a line. */
const CLIENT_ID = /^[A-Za-z0-9-]{8,64}$/
/** The most characters of a path in a line. The server accepts 16,000, of which a stranger could fill the disk. */
const LONGEST_PATH = 500

interface RequestLogOptions {
  /** Whether the lines contain the address of the client and the id of the user. Defaults to false. */
  readonly callers?: boolean
}

/**
 * Returns middleware that logs one line per response and sets `X-Request-Id`. It never logs query strings, bodies or
 * cookies, and the first 500 characters of a path. The client's own `X-Request-Id` is `req.client_id`. Requests for `/livez`, `/readyz` and assets are not logged.
 */
export function requestLog(logger: Logger, { callers = false }: RequestLogOptions = {}): RequestHandler {
  const log = logger.child({}, { serializers: { err: describeError } })
  return function requestLog(req, res, next) {
    // Never the client's id: `request_id` joins log lines, events and histories, so that two requests must not share one.
    req.id = randomUUID()
    res.setHeader('X-Request-Id', req.id)
    const { request } = req.app as Express
    if (!Object.hasOwn(request, 'log')) addLog(request, logger)
    if (!isProbeOrAsset(req)) logAtEnd(req, res, { log, callers })
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

function logAtEnd(req: Request, res: ServerResponse, { log, callers }: { log: Logger; callers: boolean }) {
  const startedAt = performance.now()
  // The method, the URL and the address as they were sent: middleware may change them, and a socket may be closed.
  const request = {
    id: req.id,
    method: req.method,
    path: shortPathOf(req),
    ...clientId(req),
    ...(callers && { address: req.ip }),
  }
  res.once('close', () => {
    const { err, shard, replica, userId, statusCode: status, writableFinished: isSent } = res
    const refusal = isRefusal(err) ? err : null
    const line = {
      req: request,
      // The client of an incomplete response may not have received a status.
      res: { status: isSent ? status : null },
      ...(refusal !== null ? { reason: refusal.detail } : err !== undefined && { err }),
      ...(callers && userId !== undefined && { user: userId }),
      ...(shard !== undefined && { shard }),
      ...(replica !== undefined && { replica }),
      responseTime: Math.round(performance.now() - startedAt),
    }
    if (refusal !== null) log.warn(line, 'request refused')
    else if (err !== undefined || status >= 500) log.error(line, 'request errored')
    else log.info(line, isSent ? 'request completed' : 'request aborted')
  })
}

function clientId({ headers }: IncomingMessage): { client_id?: string } {
  const id = headers['x-request-id']
  return typeof id === 'string' && CLIENT_ID.test(id) ? { client_id: id } : {}
}

function shortPathOf(req: IncomingMessage): string {
  const path = pathnameOf(req)
  return path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path
}
