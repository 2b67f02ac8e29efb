import type { RequestHandler } from 'express'
import { Unavailable } from './errors.ts'
import type { Handler } from './route-types.ts'
import { frameworkRoutes } from './routes.ts'

const livez: Handler = (_req, res) => void res.type('text').send('ok')

/**
 * Returns middleware with `/livez`, which always responds with 200, and `/readyz`, which responds with 200 if `ready`
 * resolves to true, and with 503 otherwise. `ready` is called once a second at most.
 */
export function health(ready: () => Promise<boolean>): RequestHandler {
  let checkedAt = 0
  let result = Promise.resolve(false)
  const recentResult = () => {
    if (Date.now() - checkedAt > 1_000) {
      checkedAt = Date.now()
      result = ready().catch(() => false)
    }
    return result
  }
  const readyz: Handler = async (_req, res) => {
    const isReady = await recentResult()
    if (!isReady) res.set('Retry-After', '1')
    res
      .status(isReady ? 200 : 503)
      .type('text')
      .send(isReady ? 'ready' : 'not ready')
  }
  return frameworkRoutes({ 'GET /livez': livez, 'GET /readyz': readyz })
}

/** Returns middleware that answers 503 until `isStarted` returns true, for a server that waits for its database. */
export function refuseUntil(isStarted: () => boolean): RequestHandler {
  return function refuseUntilStarted(_req, _res, next) {
    if (!isStarted()) throw new Unavailable('the database was not reachable yet')
    next()
  }
}
