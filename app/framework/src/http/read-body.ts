import type { Request, RequestHandler, Response } from 'express'

/** Runs a body parser, and rejects with its error. */
export function readBody(parse: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => (error === undefined ? resolve() : reject(error))
    void parse(req, res, done)
  })
}
