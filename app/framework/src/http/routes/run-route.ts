import { tracingChannel } from 'node:diagnostics_channel'
import type { Request, Response } from 'express'
import type { Guard, ListedRoute } from './route-types.ts'

export type RunRoute = (req: Request, res: Response) => Promise<void>

/** Returns a function that runs the guards of a route in their order, and then its handler. */
export function runOf({ guards, handler }: ListedRoute, defaults: readonly Guard[]): RunRoute {
  const [access, ...others] = guards as [Guard, ...Guard[]]
  const prepared = guards.filter((guard) => guard.isBuiltIn && guard.prepare !== undefined)
  const early = others.filter(
    (guard, index) => guard.begin !== undefined && mayBegin(others.slice(0, index + 1)),
  )
  const following = [...defaults, ...others]
  return async (req, res) => {
    for (const guard of prepared) await guard.prepare?.(req, res)
    if (hasLeft(req)) return
    const admitted = runGuard(access, req, res)
    for (const guard of early) guard.begin?.(req)
    await admitted
    for (const guard of following) {
      if (res.headersSent || hasLeft(req)) return
      const pending = runGuard(guard, req, res)
      if (pending !== undefined) await pending
    }
    if (!res.headersSent) await handler(req, res)
  }
}

const channel = tracingChannel('pergola:guard')

const runGuard = (guard: Guard, req: Request, res: Response) =>
  channel.hasSubscribers
    ? channel.tracePromise(async () => guard.run(req, res), { guard })
    : guard.run(req, res)

/** Returns whether the last of these guards may begin early: a limit comes first, and so do the effects of other guards. */
const mayBegin = (guards: readonly Guard[]): boolean =>
  guards.every(({ isBuiltIn, kind }) => isBuiltIn === true && kind !== 'limit')

/** Returns whether the client left before its body was complete. */
const hasLeft = (req: Request): boolean => req.destroyed && !req.complete
