import type { Request } from 'express'
import { network } from '../../http/security/network.ts'
import type { Guard, ListedRoute } from '../../http/routes/route-types.ts'
import { builtInGuard } from '../../http/routes/routes.ts'
import type { DefaultLimits, Rate } from '../../http/settings.ts'
import { reportRefusal } from '../../policy/denial.ts'
import { policyContext } from '../../policy/policy-context.ts'
import { rateLimiter } from './rate-limiter.ts'

/** A rate, and whose requests are counted together. */
export interface Limit extends Rate {
  /** `network` is the client's IPv4 address or IPv6 /64 network. With `user`, guests are counted by network. */
  readonly per: 'user' | 'network'
}

/**
 * Returns a guard that allows a user or a network this many requests of the route in a window of `seconds`, in all
 * processes together. It replaces the application's default limit. Put it behind the access guard.
 *
 * Further requests get `TooManyRequests` (429) with `Retry-After`. The first of them in a window is reported as a denial
 * with the cause `rate_limit`. A request costs one statement, or none if the caller is busy: see `rateLimiter`. A rejected
 * one costs none besides the lookup of the session, and of the record under a default limit, except the first in each
 * process. If the database fails, the guard throws `Unavailable` (503).
 *
 * ```ts
 * 'POST /exports': [secured(), limit({ per: 'user', requests: 5, seconds: 3_600 }), create]
 * ```
 */
export const limit = (options: Limit): Guard => limitGuard(options, { name: routeOf })

/** Returns the guards of routes without a `limit` of their own. */
export function defaultLimits({ writes, searches }: DefaultLimits): (route: ListedRoute) => readonly Guard[] {
  const guards = {
    writes: writes && [limitGuard({ per: 'user', ...writes }, { name: () => 'writes' })],
    searches: searches && [
      limitGuard({ per: 'user', ...searches }, { name: () => 'searches', applies: isSearch }),
    ],
  }
  return ({ method, guards: own }) => {
    if (own.some(({ kind }) => kind === 'limit')) return []
    return (method === 'GET' ? guards.searches : guards.writes) ?? []
  }
}

const isSearch = ({ query }: Request): boolean => Boolean(query['q'])

interface Counted {
  /** Returns the name of the requests that are counted together. */
  name: (req: Request) => string
  /** Returns whether the limit applies to the request. Defaults to all. */
  applies?: (req: Request) => boolean
}

function limitGuard({ per, requests, seconds }: Limit, { name, applies }: Counted): Guard {
  const limiter = rateLimiter(
    `${requests} in ${seconds}s per ${per}`,
    { requests, seconds },
    { blocks: true },
  )
  return builtInGuard({
    kind: 'limit',
    inManifest: `limit ${requests} in ${seconds}s per ${per}`,
    inWords: `allows each ${per} ${requests} requests in ${seconds} seconds`,
    async run(req) {
      if (applies?.(req) === false) return
      const ctx = await policyContext(req)
      const isUser = per === 'user' && ctx.userId !== null
      const caller = isUser ? `user ${ctx.userId}` : `network ${network(req.ip ?? '')}`
      const counted = name(req)
      // Once per window, so that a flood doesn't fill the log.
      await limiter.count(`${counted} by ${caller}`, () => reportRefusal(req, ctx, 'rate_limit', counted))
    },
  })
}

/** Returns the route of a request: `POST /posts/:id`. HEAD is counted with GET. */
const routeOf = ({ method, route }: Request) =>
  `${method === 'HEAD' ? 'GET' : method} ${(route as { path: string }).path}`
