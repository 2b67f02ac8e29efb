import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { markLayer } from './layers.ts'

/**
 * Returns one middleware that runs several in their order, like `app.use` for each of them: Express does more work for a
 * middleware than most middleware does itself. An error, thrown or passed to `next`, skips the rest.
 *
 * ```ts
 * app.use(pipeline([requestLog(log), securityHeaders({ https: true }), health(ready)]))
 * ```
 */
export function pipeline(steps: readonly RequestHandler[]): RequestHandler {
  const middleware: RequestHandler = function pipeline(req, res, done) {
    let index = 0
    const next: NextFunction = (error?: unknown) => {
      const step = error === undefined ? steps[index++] : undefined
      if (step === undefined) done(error)
      else run(step, req, res, next)
    }
    next()
  }
  return markLayer(middleware, { is: 'pipeline', steps })
}

function run(step: RequestHandler, req: Request, res: Response, next: NextFunction): void {
  try {
    const pending: unknown = step(req, res, next)
    if (pending instanceof Promise) pending.catch(next)
  } catch (error) {
    next(error)
  }
}
