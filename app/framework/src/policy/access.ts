import type { Request } from 'express'
import { Forbidden, HttpError, Unauthorized } from '../http/errors.ts'
import { isApi, isHtmx, prefersJson } from '../http/negotiation.ts'
import { returnPath } from '../http/routes/return-to.ts'
import type { Access } from '../http/routes/route-types.ts'
import { builtInGuard } from '../http/routes/routes.ts'
import { httpSettings } from '../http/settings.ts'
import type { PolicyContext, Role } from './authorization-types.ts'
import { reportRefusal } from './denial.ts'
import { policyContext } from './policy-context.ts'
import { stepUp } from '../http/security/step-up.ts'

/**
 * Returns an access guard for a route that is open to guests. The guard also reads the session, so that policies and
 * views receive the signed-in user. It throws `Unavailable` (503) if that fails.
 */
export function publicRoute(): Access {
  return builtInGuard({
    kind: 'access',
    access: 'public',
    roles: [],
    verified: false,
    run: async (req) => void (await policyContext(req)),
  })
}

/** The requirements of a route for its callers, besides a session: see `secured`. */
export interface AccessOptions {
  /** The user has one of these roles, at least one. Left out: any user. */
  readonly roles?: readonly Role[]
  /** The user has proved the email address: `session.verified` is true. Left out: any user. */
  readonly verified?: boolean
}

type Requirements = [options: AccessOptions] | Role[]

/**
 * Returns an access guard for a route that needs a session and, if roles are listed, one of them. With
 * `verified: true`, it also needs a verified email address.
 *
 * A guest is redirected to the sign-in page, or gets `Unauthorized` (401) from the API and under htmx. A user
 * without any of the roles gets `Forbidden` (403). A user without a verified address is redirected to the
 * `verificationPath` of `webApplication`, or gets a 403 with the code `verification_required`. All are reported as denials.
 *
 * Throws for unknown options and for an empty list of roles.
 *
 * ```ts
 * 'GET /admin': [secured('admin'), index],
 * 'POST /': [secured({ roles: ['admin', 'editor'], verified: true }), create],
 * ```
 */
export function secured(...requirements: Requirements): Access {
  const { roles, verified } = accessOptions(requirements)
  return builtInGuard({
    kind: 'access',
    access: 'secured',
    roles,
    verified,
    check(_before, app) {
      if (verified && httpSettings(app).verificationPath === undefined)
        throw new Error('secured({ verified: true }) needs a page. Pass verificationPath to webApplication.')
    },
    async run(req) {
      const ctx = await policyContext(req)
      const cause = denialCause(ctx, roles, verified)
      if (cause === null) return
      reportRefusal(req, ctx, cause)
      throw REFUSALS[cause](req)
    },
  })
}

function accessOptions(requirements: Requirements): Required<AccessOptions> {
  const [options] = requirements
  if (typeof options !== 'object') return { roles: requirements as Role[], verified: false }
  // Otherwise, an option that TypeScript didn't check would open the route to all users.
  if (!Object.keys(options).every((name) => name === 'roles' || name === 'verified'))
    throw new Error(
      "secured() takes the names of roles, or an object like { roles: ['admin'], verified: true }.",
    )
  // An empty list, of a filter for example, would open the route to all users too.
  if (options.roles?.length === 0)
    throw new Error('secured({ roles: [] }) lists no role. Add one, or leave roles out to admit any user.')
  return { roles: [], verified: false, ...options }
}

function denialCause(ctx: PolicyContext, roles: readonly Role[], verified: boolean): AccessDenial | null {
  if (ctx.session === null) return 'guest'
  if (roles.length > 0 && !roles.some((role) => ctx.hasRole(role))) return 'missing_role'
  return verified && ctx.session.verified !== true ? 'unverified' : null
}

const REFUSALS = {
  guest: signIn,
  // 403 with every `forbidden_response`, because a missing role reveals nothing about a record.
  missing_role: () => new Forbidden(),
  unverified: (req: Request) =>
    stepUp(req, {
      code: 'verification_required',
      path: httpSettings(req.app).verificationPath,
      label: 'Verify your email address',
    }),
}

type AccessDenial = keyof typeof REFUSALS

function signIn(req: Request): HttpError {
  if (isApi(req) || prefersJson(req)) return new Unauthorized()
  const location = `${httpSettings(req.app).signInPath}?return_to=${encodeURIComponent(returnPath(req))}`
  // htmx would follow a redirect and swap the sign-in page into the current page.
  if (isHtmx(req)) return new Unauthorized({ 'HX-Redirect': location })
  return new HttpError(303, 'see_other', { headers: { Location: location } })
}
