import { STATUS_CODES } from 'node:http'
import { inspect } from 'node:util'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { HttpError, NotFound } from './errors.ts'
import { answersJson, isHtmx } from './negotiation.ts'
import { sendPage } from './render.ts'
import { resetHeaders } from './security-headers.ts'
import { httpSettings } from './settings.ts'

/** Middleware behind all routes: throws `NotFound`. */
export const notFound: RequestHandler = () => {
  throw new NotFound()
}

/**
 * Error middleware, the last one: renders each thrown error as a page, as a part of a page under htmx, or as JSON
 * (RFC 9457) below `apiPrefix`. An `HttpError` becomes its status; anything else becomes a 500 without details.
 * `translate` may turn the errors of other libraries into an `HttpError`: pass `databaseFailure`.
 *
 * Denied and missing records get the same bytes. Views can override `errors/error.eta`.
 */
export function errorPage(translate: (error: unknown) => HttpError | null): ErrorRequestHandler {
  return async function errorPage(thrown: unknown, req, res, next) {
    const error = thrown instanceof HttpError ? thrown : toHttpError(thrown, translate)
    // The request log adds `res.err` to its line.
    if (error.status >= 500)
      res.err = thrown instanceof Error ? thrown : new Error('The thrown value is not an Error.')
    // The response has begun. Express closes the connection, so that the client can't take it for complete.
    if (res.headersSent) return next(thrown)
    resetHeaders(res)
    res.status(error.status).set({ ...error.headers })
    if (error.status === 303) return void res.end()
    if (answersJson(req)) return sendProblem(req, res, error)
    if (!(await sendDevelopmentPage(req, res, { error, thrown })))
      await sendErrorPage(req, res, { error, thrown })
  }
}

/** Body parsers and Express set the status of a malformed body or path. The status of another library's error is ignored. */
function toHttpError(thrown: unknown, translate: (error: unknown) => HttpError | null): HttpError {
  const { status, expose } = (thrown ?? {}) as { status?: unknown; expose?: unknown }
  const isClientError = expose === true || thrown instanceof URIError
  if (isClientError && typeof status === 'number' && status >= 400 && status < 500) {
    return new HttpError(status, CODES[status] ?? 'bad_request', {
      headers: status === 413 ? { Connection: 'close' } : {},
    })
  }
  return translate(thrown) ?? new HttpError(500, 'internal_error', { cause: thrown })
}

const CODES: Record<number, string> = { 413: 'too_large', 415: 'unsupported_media_type' }

/** RFC 9457. */
function sendProblem(req: Request, res: Response, error: HttpError): void {
  const { title, detail } = textOf(error)
  const problem = {
    type: 'about:blank',
    title,
    status: error.status,
    detail,
    code: error.code,
    ...(error.reason !== undefined && { reason: error.reason }),
    request_id: req.id,
    ...(error.errors && { errors: error.errors }),
  }
  res.vary('Accept').vary('HX-Request').type('application/problem+json').send(JSON.stringify(problem))
}

interface Failure {
  error: HttpError
  thrown: unknown
}

/** Returns whether it sent one. Its inline code needs a full page load: htmx would swap it into the old page. */
async function sendDevelopmentPage(
  req: Request,
  res: Response,
  { error, thrown }: Failure,
): Promise<boolean> {
  const { developmentErrorPage } = httpSettings(req.app)
  if (developmentErrorPage === undefined || error.status < 500 || isHtmx(req)) return false
  if (!(thrown instanceof Error)) return false
  const page = await developmentErrorPage(thrown, req).catch(() => null)
  if (page === null) return false
  res.set('Content-Security-Policy', page.contentSecurityPolicy).type('html').send(page.html)
  return true
}

async function sendErrorPage(req: Request, res: Response, { error, thrown }: Failure): Promise<void> {
  const { development, viewer } = httpSettings(req.app)
  if (isHtmx(req) && error.headers['HX-Redirect'] !== undefined) return void res.end()
  // Read even if the request failed before its access guard, so that both pages show the same viewer.
  const me = await viewer(req).catch(() => null)
  const stack = development && error.status >= 500 && thrown instanceof Error ? inspect(thrown) : undefined
  sendPage(res, 'errors/error', {
    me,
    flash: null,
    isError: true,
    status: error.status,
    ...textOf(error),
    errors: error.errors ?? [],
    stack,
  })
}

function textOf({ status, detail, code, reason }: HttpError) {
  const sentence = detail ?? DETAILS[code] ?? DETAILS['bad_request']
  return {
    title: STATUS_CODES[status] ?? 'Error',
    detail: detail === undefined && reason !== undefined ? `${sentence} (${reason})` : sentence,
  }
}

const DETAILS: Record<string, string> = {
  bad_request: 'The request is malformed.',
  unauthorized: 'Sign in first.',
  forbidden: 'You may not do this.',
  cross_origin: 'This request came from another site.',
  misdirected_request:
    'This server only answers at its own address. Check the host name, or the base URL in the configuration of the server.',
  not_found: 'This does not exist, or you may not see it.',
  method_not_allowed: 'This address does not support this method.',
  conflict:
    'This record, or one that it refers to, changed at the same time. Load it again and repeat your change.',
  precondition_failed: 'This record changed since you read it. Load it again and repeat your change.',
  too_large: 'The request is too large.',
  unsupported_media_type: 'This address does not accept this content type.',
  invalid: 'Some fields are invalid.',
  too_many_requests: 'Too many attempts. Try again later.',
  internal_error: 'Something went wrong on the server. The error has been logged.',
  unavailable: 'The service is unavailable at the moment. Try again shortly.',
}
