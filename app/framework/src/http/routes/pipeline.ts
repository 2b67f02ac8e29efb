import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { markLayer } from './layers.ts'

/**
 * Returns one middleware that runs several in their order, like `app.use` for each of them: Express does more work for a
 * middleware than most middleware does itself. An error, thrown or passed to `next`, skips the rest.
 */
export function pipeline(steps: readonly RequestHandler[]): RequestHandler {
  const middleware: RequestHandler = function pipeline(req, res, done) {
    let index = 0
    const next: NextFunction = (error?: unknown) => {
      // Express also continues after `next(null)` and `next('route')`.
      const step = isError(error) ? undefined : steps[index++]
      if (step === undefined) done(error)
      else run(step, req, res, next)
    }
    next()
  }
  return markLayer(middleware, { is: 'pipeline', steps })
}

const isError = (error: unknown): boolean => Boolean(error) && error !== 'route'

function run(step: RequestHandler, req: Request, res: Response, next: NextFunction): void {
  try {
    const pending: unknown = step(req, res, next)
    if (pending instanceof Promise) pending.catch((error: unknown) => next(error || rejected()))
  } catch (error) {
    next(error)
  }
}

/** The error of a promise that was rejected without one, which must not count as success. */
export const rejected = () => new Error('A promise was rejected without an error.')
