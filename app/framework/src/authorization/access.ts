import type { Request } from 'express'
import { Forbidden, HttpError, Unauthorized } from '../http/errors.ts'
import { isApi, isHtmx, prefersJson } from '../http/negotiation.ts'
import { localPath } from '../http/return-to.ts'
import { type Access, guard } from '../http/routes.ts'
import { httpSettings } from '../http/settings.ts'
import { policyContext, type Role } from './policy-context.ts'
import { reportDenial } from './report.ts'

/**
 * Access guard for a route that is open to guests. The session is still looked up, so that policies and views know a
 * signed-in user. Throws `Unavailable` (503) if that lookup fails.
 */
export function publicRoute(): Access {
  return guard({
    kind: 'access',
    access: 'public',
    roles: [],
    run: async (req) => void (await policyContext(req)),
  })
}

/**
 * Access guard for a route that needs a session and, if roles are listed, one of them.
 *
 * A guest is redirected to the sign-in page, or gets `Unauthorized` (401) from the API and under htmx. A user
 * without any of the roles gets `Forbidden` (403). Both are reported to the denial log.
 *
 * ```ts
 * 'GET /admin': [secured('admin'), index]
 * ```
 */
export function secured(...roles: Role[]): Access {
  return guard({
    kind: 'access',
    access: 'secured',
    roles,
    async run(req) {
      const ctx = await policyContext(req)
      const isGuest = ctx.userId === null
      if (!isGuest && (roles.length === 0 || roles.some((role) => ctx.hasRole(role)))) return
      reportDenial(req, ctx, {
        action: 'access',
        resource: null,
        id: null,
        cause: isGuest ? 'guest' : 'missing_role',
        reason: null,
        ms: 0,
      })
      // Always 403: a missing role is about the page, and gives no record away.
      throw isGuest ? signIn(req) : new Forbidden()
    },
  })
}

function signIn(req: Request): HttpError {
  if (isApi(req) || prefersJson(req)) return new Unauthorized()
  const location = `${httpSettings(req).signInPath}?return_to=${encodeURIComponent(cameFrom(req))}`
  // A redirect would be followed by htmx and put the sign-in page inside the page.
  if (isHtmx(req)) return new Unauthorized({ 'HX-Redirect': location })
  return new HttpError(303, 'see_other', { headers: { Location: location } })
}

/** The page to come back to: this one when it can be asked for again, else the one that sent the form. */
function cameFrom(req: Request): string {
  if (req.method === 'GET' || req.method === 'HEAD') return localPath(req.originalUrl)
  const referrer = URL.parse(req.get('referer') ?? '')
  if (referrer === null || referrer.host !== req.host) return '/'
  return localPath(referrer.pathname + referrer.search)
}
