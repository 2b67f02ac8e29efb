import type { Request, RequestHandler, Response } from 'express'
import { HttpError } from './errors.ts'

/** The time for receiving a body, in milliseconds. An incomplete request occupies memory and a connection. */
const DEADLINE = 15_000

/**
 * Runs a body parser, and rejects with its error, or with a 408 if the body is not complete after 15 seconds. The
 * connection of such a request is closed after the response, whatever its status.
 */
export async function readBody(parse: RequestHandler, req: Request, res: Response): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    res.shouldKeepAlive = false
    reject(timedOut())
  }, DEADLINE)
  try {
    void parse(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
    await promise
  } finally {
    clearTimeout(timer)
  }
}

const timedOut = () =>
  new HttpError(408, 'request_timeout', {
    detail: 'The body of the request was not complete in time. Send it again.',
  })
