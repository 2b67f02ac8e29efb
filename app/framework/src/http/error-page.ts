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
    const error = asHttpError(thrown, translate)
    // The request's line in the log carries it.
    if (error.status >= 500)
      res.err = thrown instanceof Error ? thrown : new Error('Something that is no error was thrown.')
    // Too late for an answer of our own: Express cuts the connection, so that half an answer doesn't pass for a whole one.
    if (res.headersSent) return next(thrown)
    resetHeaders(res)
    res.status(error.status).set({ ...error.headers })
    if (error.status === 303) return void res.end()
    if (answersJson(req)) return sendProblem(req, res, error)
    await sendErrorPage(req, res, { error, thrown })
  }
}

/** Body parsers and Express say which status a broken body or path is. Another library's status is not ours. */
function asHttpError(thrown: unknown, translate: (error: unknown) => HttpError | null): HttpError {
  if (thrown instanceof HttpError) return thrown
  const { status, expose } = (thrown ?? {}) as { status?: unknown; expose?: unknown }
  const isOurs = expose === true || thrown instanceof URIError
  if (isOurs && typeof status === 'number' && status >= 400 && status < 500) {
    return new HttpError(status, CODES[status] ?? 'bad_request', {
      headers: status === 413 ? { Connection: 'close' } : {},
    })
  }
  return translate(thrown) ?? new HttpError(500, 'internal_error', { cause: thrown })
}

const CODES: Record<number, string> = { 413: 'too_large', 415: 'unsupported_media_type' }

/** RFC 9457. */
function sendProblem(req: Request, res: Response, error: HttpError): void {
  const problem = {
    type: 'about:blank',
    title: titleOf(error),
    status: error.status,
    detail: detailOf(error),
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

async function sendErrorPage(req: Request, res: Response, { error, thrown }: Failure): Promise<void> {
  const { development, viewer } = httpSettings(req)
  if (isHtmx(req) && error.headers['HX-Redirect'] !== undefined) return void res.end()
  // Always looked up, so that a page that failed before anybody asked shows the same viewer as one that failed after.
  const me = await viewer(req).catch(() => null)
  const stack = development && error.status >= 500 && thrown instanceof Error ? inspect(thrown) : undefined
  sendPage(res, 'errors/error', {
    me,
    flash: null,
    isError: true,
    status: error.status,
    title: titleOf(error),
    detail: detailOf(error),
    errors: error.errors ?? [],
    stack,
  })
}

const titleOf = ({ status }: HttpError): string => STATUS_CODES[status] ?? 'Error'

function detailOf({ detail, code, reason }: HttpError): string | undefined {
  const sentence = detail ?? DETAILS[code] ?? DETAILS['bad_request']
  return detail === undefined && reason !== undefined ? `${sentence} (${reason})` : sentence
}

const DETAILS: Record<string, string> = {
  bad_request: 'The request could not be understood.',
  unauthorized: 'Sign in first.',
  forbidden: 'You may not do this.',
  cross_origin: 'This request came from another site.',
  misdirected_request:
    'This server only answers at its own address. Check the host name, or the base URL that the server is configured with.',
  not_found: 'There is nothing here, or nothing that you may see.',
  method_not_allowed: 'This address does not answer to that method.',
  conflict: 'Something else changed this record, or what it refers to. Load it again and repeat your change.',
  precondition_failed: 'This record changed since you read it. Load it again and repeat your change.',
  too_large: 'That is more than this address takes.',
  unsupported_media_type: 'This address does not read that kind of content.',
  invalid: 'Some fields were refused.',
  too_many_requests: 'Too many attempts. Wait a little and try again.',
  internal_error: 'Something broke on our side. It has been written down.',
  unavailable: 'The service cannot answer right now. Try again in a moment.',
}
