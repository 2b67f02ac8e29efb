import { inspect } from 'node:util'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { detailOfCode } from '../error-codes.ts'
import { HttpError, isRefusal, NotFound } from '../errors.ts'
import { answersJson, isHtmx } from '../negotiation.ts'
import { STATUS_CODES } from '../node-http.ts'
import { sendPage } from './render.ts'
import { resetHeaders } from '../security/security-headers.ts'
import { httpSettings } from '../settings.ts'

/** Middleware after all routes. Throws `NotFound`. */
export const notFound: RequestHandler = () => {
  throw new NotFound()
}

/**
 * Returns the error middleware, which must be the last middleware. It renders a thrown error as a page, as a part of a page
 * for htmx, or as JSON (RFC 9457) below `apiPrefix`. An `HttpError` determines the status. Any other error becomes a 500
 * without details, unless `translate` converts it to an `HttpError`: pass `databaseFailure`.
 *
 * A denied record and a missing one get responses with the same bytes. Applications can override `errors/error.eta`.
 */
export function errorPage(translate: (error: unknown) => HttpError | null): ErrorRequestHandler {
  return async function errorPage(thrown: unknown, req, res, next) {
    const error = thrown instanceof HttpError ? thrown : toHttpError(thrown, translate)
    // The request log adds `res.err` to its line.
    if (error.status >= 500)
      res.err = thrown instanceof Error ? thrown : new Error('The thrown value is not an Error.')
    // If the response has begun, Express closes the connection, so that the client doesn't treat it as complete.
    if (res.headersSent) return next(thrown)
    resetHeaders(res)
    res.status(error.status).set({ ...error.headers })
    if (error.status === 303) return void res.end()
    const { development, developmentAnswer } = httpSettings(req.app)
    const failure = error.status >= 500 && thrown instanceof Error && !isRefusal(thrown) ? thrown : null
    if (failure !== null && (await developmentAnswer?.(failure, req, res).catch(() => false))) return
    if (answersJson(req)) return sendProblem(req, res, error)
    await sendErrorPage(req, res, error, development && failure ? inspect(failure) : undefined)
  }
}

/**
 * Converts an error. Uses the status that body parsers and Express set for a malformed body or path, but ignores the status
 * of any other library.
 */
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

/** Sends the error as JSON (RFC 9457). */
function sendProblem(req: Request, res: Response, error: HttpError): void {
  const problem = {
    type: 'about:blank',
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: detailOf(error),
    code: error.code,
    ...(error.reason !== undefined && { reason: error.reason }),
    request_id: req.id,
    ...(error.errors && { errors: error.errors }),
  }
  res.vary('Accept').vary('HX-Request').type('application/problem+json').send(JSON.stringify(problem))
}

async function sendErrorPage(req: Request, res: Response, error: HttpError, stack?: string): Promise<void> {
  const { viewer } = httpSettings(req.app)
  if (isHtmx(req) && error.headers['HX-Redirect'] !== undefined) return void res.end()
  // Reads the viewer even if the request failed before its access guard, so that all error pages show the same viewer.
  const me = await viewer(req).catch(() => null)
  const data = {
    isError: true,
    status: error.status,
    title: TITLES[error.status] ?? 'Error',
    detail: detailOf(error),
    errors: error.errors ?? [],
    link: error.link ?? null,
    stack,
  }
  sendPage(res, 'errors/error', { me, flash: null, data })
}

export const detailOf = ({ detail, code }: HttpError) => detail ?? detailOfCode(code)

/** The headings of pages. A denied record has the same status, and so the same heading, as a missing one. */
export const TITLES: Record<number, string> = {
  400: 'Invalid request',
  401: 'Sign-in required',
  403: 'Not allowed',
  404: 'Page not found',
  405: 'Not supported',
  408: 'Request timed out',
  409: 'Change not saved',
  412: 'Change not saved',
  413: 'Request too large',
  415: 'Content type not supported',
  421: 'Unknown host name',
  422: 'Invalid input',
  428: 'Change not saved',
  429: 'Too many requests',
  500: 'Server error',
  503: 'Service unavailable',
}
