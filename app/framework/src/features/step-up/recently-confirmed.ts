import type { Access, Guard } from '../../http/routes/route-types.ts'
import { builtInGuard } from '../../http/routes/routes.ts'
import { httpSettings } from '../../http/settings.ts'
import { type Duration, secondsOf } from '../../resource/duration.ts'
import type { Session } from '../../policy/authorization-types.ts'
import { reportRefusal } from '../../policy/denial.ts'
import { policyContext } from '../../policy/policy-context.ts'
import { stepUp } from '../../http/security/step-up.ts'

/**
 * Returns a guard for a route that needs more than a session: the user signed in, or entered the password again, in the
 * last `within`. So an old session that was left open or stolen can't use the route. Put it behind `secured`.
 *
 * Other callers are redirected to the `confirmationPath` of `webApplication`, or get a 403 with the code
 * `confirmation_required` from the API and under htmx. They are reported as denials. The guard costs no statement: it
 * reads `session.confirmedSecondsAgo`, and refuses a session without it.
 *
 * ```ts
 * 'DELETE /': [secured(), recentlyConfirmed('15 minutes'), destroy]
 * ```
 */
export function recentlyConfirmed(within: Duration): Guard {
  const seconds = secondsOf(within)
  if (seconds < SHORTEST)
    throw new Error(`recentlyConfirmed('${within}') is too short to use the page. Use at least 1 minute.`)
  return builtInGuard({
    kind: 'recently-confirmed',
    inManifest: `recently-confirmed in ${seconds}s`,
    inWords: `asks for the password, unless the caller signed in or entered it in the last ${seconds} seconds`,
    check(before, app) {
      if ((before[0] as Access | undefined)?.access !== 'secured')
        throw new Error('recentlyConfirmed() needs a session. Begin the list with secured().')
      if (httpSettings(app).confirmationPath === undefined)
        throw new Error('recentlyConfirmed() needs a page. Pass confirmationPath to webApplication.')
    },
    async run(req) {
      const ctx = await policyContext(req)
      if (isConfirmed(ctx.session, seconds)) return
      reportRefusal(req, ctx, 'unconfirmed')
      throw stepUp(req, {
        code: 'confirmation_required',
        path: httpSettings(req.app).confirmationPath,
        label: 'Confirm your password',
      })
    },
  })
}

const SHORTEST = 60

function isConfirmed(session: Session | null, seconds: number): boolean {
  const elapsed = session?.confirmedSecondsAgo
  // Refuses a negative time: the clock of the database was set back, so that the real time is unknown.
  return typeof elapsed === 'number' && elapsed >= 0 && elapsed <= seconds
}
