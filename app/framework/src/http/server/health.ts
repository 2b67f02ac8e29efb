import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import type { Handler } from '../routes/route-types.ts'
import { frameworkRoutes } from '../routes/routes.ts'

const livez: Handler = (_req, res) => void res.type('text').send('ok')

/** Milliseconds between two checks. */
const INTERVAL = 1_000
/** The most milliseconds that a probe waits for a check: less than the two seconds of most balancers. */
const PATIENCE = 1_500

/**
 * Returns middleware with `/livez`, which always responds with 200, and `/readyz`, which responds with 200 if `ready`
 * resolves to true, and with 503 otherwise, or if it takes longer than 1.5 seconds. `ready` is called once a second at
 * most, and not while an earlier call is pending.
 */
export function health(ready: () => Promise<boolean>): RequestHandler {
  let checkedAt = -Infinity
  let isChecking = false
  let result = Promise.resolve(false)
  const check = async () => {
    isChecking = true
    const isReady = await ready().catch(() => false)
    isChecking = false
    return isReady
  }
  const recentResult = () => {
    if (!isChecking && Date.now() - checkedAt > INTERVAL) {
      checkedAt = Date.now()
      result = Promise.race([check(), sleep(PATIENCE, false, { ref: false })])
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
