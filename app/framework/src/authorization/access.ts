import type { Request } from 'express'
import { Forbidden, HttpError, Unauthorized } from '../http/errors.ts'
import { isApi, isHtmx, prefersJson } from '../http/negotiation.ts'
import { localPath } from '../http/return-to.ts'
import type { Access } from '../http/route-types.ts'
import { builtInGuard } from '../http/routes.ts'
import { httpSettings } from '../http/settings.ts'
import type { Role } from './authorization-types.ts'
import { reportDenial } from './denial.ts'
import { policyContext } from './policy-context.ts'

/**
 * Returns an access guard for a route that is open to guests. The guard also reads the session, so that policies and
 * views receive the signed-in user. It throws `Unavailable` (503) if that fails.
 */
export function publicRoute(): Access {
  return builtInGuard({
    kind: 'access',
    access: 'public',
    roles: [],
    run: async (req) => void (await policyContext(req)),
  })
}

/**
 * Returns an access guard for a route that needs a session and, if roles are listed, one of them.
 *
 * A guest is redirected to the sign-in page, or gets `Unauthorized` (401) from the API and under htmx. A user
 * without any of the roles gets `Forbidden` (403). Both are reported as denials.
 *
 * ```ts
 * 'GET /admin': [secured('admin'), index]
 * ```
 */
export function secured(...roles: Role[]): Access {
  return builtInGuard({
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
        record: null,
        decision: { cause: isGuest ? 'guest' : 'missing_role' },
        ms: 0,
      })
      // 403 with every `forbidden_response`, because a missing role reveals nothing about a record.
      throw isGuest ? signIn(req) : new Forbidden()
    },
  })
}

function signIn(req: Request): HttpError {
  if (isApi(req) || prefersJson(req)) return new Unauthorized()
  const location = `${httpSettings(req.app).signInPath}?return_to=${encodeURIComponent(returnTo(req))}`
  // htmx would follow a redirect and swap the sign-in page into the current page.
  if (isHtmx(req)) return new Unauthorized({ 'HX-Redirect': location })
  return new HttpError(303, 'see_other', { headers: { Location: location } })
}

/** Returns the page to show after sign-in: the requested page, or the page with the form for other methods than GET. */
function returnTo(req: Request): string {
  if (req.method === 'GET' || req.method === 'HEAD') return localPath(req.originalUrl)
  const referrer = URL.parse(req.get('referer') ?? '')
  if (referrer === null || referrer.host !== req.host) return '/'
  return localPath(referrer.pathname + referrer.search)
}
