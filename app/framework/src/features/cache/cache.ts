import type { Request } from 'express'
import { beforeHead } from '../../http/before-head.ts'
import { isRead } from '../../http/cheap-requests.ts'
import type { Access, Guard } from '../../http/routes/route-types.ts'
import { builtInGuard } from '../../http/routes/routes.ts'
import { policyContext } from '../../policy/policy-context.ts'
import { type Duration, secondsOf } from '../../resource/duration.ts'

/**
 * Returns a guard that lets browsers and CDNs keep the response to a guest: `Cache-Control: public, max-age=…` and `Vary`.
 * Put it directly behind `publicRoute()`. Guests see a change when the copy has expired: also a record that they may no
 * longer see.
 *
 * The response stays `no-store` if the request has a cookie, `Authorization` or `HX-Request`, or its caller has a session or a
 * tenant; if the response isn't a 200, sets a cookie, or has the form of a new record; and if the handler sets
 * `Cache-Control` itself. A page may depend on no other header, such as `Accept-Language`, unless the handler adds it
 * to `Vary`.
 *
 * ```ts
 * 'GET /': [publicRoute(), cache('1 minute'), index]
 * ```
 */
export function cache(duration: Duration): Guard {
  const seconds = secondsOf(duration)
  return builtInGuard({
    kind: 'cache',
    inManifest: `cache ${seconds}s`,
    inWords: `lets caches keep the response to a guest for ${seconds} seconds`,
    check(before) {
      // Behind other guards, what they set before this one could be missed.
      if (before.length === 1 && (before[0] as Access).access === 'public') return
      throw new Error(
        'cache() keeps responses to guests. Put it directly behind publicRoute(), or remove it from a route that needs a session.',
      )
    },
    async run(req, res) {
      const { session, tenant } = await policyContext(req)
      if (session !== null || tenant !== null || !isAnonymous(req)) return
      const value = `public, max-age=${seconds}`
      res.set('Cache-Control', value)
      beforeHead(res, ([status, ...others]) => {
        if (res.get('Cache-Control') !== value) return
        const isKept = status === 200 && others.length === 0 && !res.hasHeader('Set-Cookie')
        if (isKept) res.vary(PERSONAL.join(', '))
        else res.set('Cache-Control', 'no-store')
      })
    },
  })
}

/** The request headers that show that a caller isn't anonymous, or that a handler may answer with a part of a page. */
const PERSONAL = ['Cookie', 'Authorization', 'HX-Request']

const isAnonymous = (req: Request): boolean =>
  isRead(req) && PERSONAL.every((name) => req.get(name) === undefined)
