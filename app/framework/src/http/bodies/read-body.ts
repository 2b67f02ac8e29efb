import type { Request, RequestHandler, Response } from 'express'
import { HttpError } from '../errors.ts'

/** The time for receiving a body, in milliseconds. An incomplete request occupies memory and a connection. */
const DEADLINE = 15_000

/** Returns the parser of Express for bodies of up to `limit` bytes. */
type NewParser = (limit: number) => RequestHandler

/**
 * Returns a function that reads the body of a request with a parser, which is loaded for the first body. It rejects with the
 * error of the parser, with a 413 as soon as the body is larger than `limit` bytes, and with a 408 if the body is not
 * complete after 15 seconds. In the last two cases, the connection is closed after the response, whatever its status.
 */
export function bodyReader(limit: number, newParser: NewParser) {
  let parse: RequestHandler | undefined
  return (req: Request, res: Response) => readBody(req, res, { parse: (parse ??= newParser(limit)), limit })
}

async function readBody(
  req: Request,
  res: Response,
  { parse, limit }: { parse: RequestHandler; limit: number },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const giveUp = (error: HttpError) => {
    res.shouldKeepAlive = false
    reject(error)
  }
  let isOver = false
  let size = Number(req.headers['content-length'] ?? 0)
  const count = ({ length }: Buffer) => {
    size += length
    if (size > limit) giveUp(tooLarge())
  }
  const timer = setTimeout(() => giveUp(new HttpError(408, 'request_timeout')), DEADLINE)
  try {
    void parse(req, res, (error?: unknown) => {
      isOver = true
      if (error === undefined) resolve()
      else reject(error)
    })
    // The parser reads a larger body to its end before it rejects. It calls back at once for a body of another type.
    if (!isOver && size > limit) giveUp(tooLarge())
    if (!isOver && size === 0) req.on('data', count)
    await promise
  } finally {
    clearTimeout(timer)
    req.off('data', count)
  }
}

const tooLarge = () => new HttpError(413, 'too_large')
