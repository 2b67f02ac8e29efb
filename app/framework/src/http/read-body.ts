import type { Request, RequestHandler, Response } from 'express'

/** Runs a body parser to its end: what it refuses is thrown here, where a handler's errors are expected. */
export function readBody(parse: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => (error === undefined ? resolve() : reject(error))
    void parse(req, res, done)
  })
}
