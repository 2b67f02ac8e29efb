import type { Application } from 'express'
import { RULE_DEADLINE } from '../authorization/decide.ts'
import { defaultLimitsOf } from '../authorization/limit.ts'
import { authorizationOf } from '../authorization/policy-context.ts'
import type { Rate } from '../authorization/rate-limiter.ts'
import { HttpError } from '../http/errors.ts'
import type { Layer } from '../http/layers.ts'
import { unsentExchange } from '../http/unsent-exchange.ts'
import { standing } from './every-request.ts'
import type { Settings } from './schema.ts'

/** Returns the settings of an application that affect access. */
export function settingsOf(
  app: Application,
  allowsUnauthorizedApis: boolean,
  values: Settings['passed']['values'] = {},
): Settings {
  const { registry, findSession, tenantOf } = authorizationOf(app)
  const { writes, searches } = defaultLimitsOf(app)
  return {
    running: {
      provenance: 'provable',
      trust_proxy: proxyText(app.get('trust proxy')),
      rule_deadline_ms: registry.ruleDeadline ?? RULE_DEADLINE,
      refuses_other_hosts: refusalOf(app, 'request checks') === 421,
      has_fixed_origin: refusalOf(app, 'cross-origin check') === 403,
      default_limits: { writes: rateText(writes), searches: rateText(searches) },
    },
    identity: {
      provenance: 'declared',
      find_session: findSession.name,
      tenant_of: tenantOf === undefined ? null : { name: tenantOf.name },
    },
    passed: { provenance: 'declared', allows_unauthorized_apis: allowsUnauthorizedApis, values },
  }
}

const rateText = (rate: Rate | undefined): string | null =>
  rate === undefined ? null : `${rate.requests} in ${rate.seconds}s`

const proxyText = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : JSON.stringify(value)

const OTHER_HOST = 'other-host.invalid'

/**
 * Returns the status with which the first middleware of this role refuses a write from another host, whose page
 * belongs to that host too. So an own origin that comes from the `Host` header accepts it. Null if it is not refused.
 */
function refusalOf(app: Application, role: Layer['is']): number | null {
  const { middleware } = standing(app, role)
  const { req, res } = unsentExchange(app)
  const headers = { host: OTHER_HOST, origin: `http://${OTHER_HOST}` }
  const rawHeaders = Object.entries(headers).flat()
  Object.assign(req, { method: 'POST', url: '/', originalUrl: '/', rawHeaders })
  Object.assign(req.headers, headers)
  let refusal: unknown = null
  try {
    void middleware?.handles[0]?.(req, res, (error?: unknown) => {
      refusal = error
    })
  } catch (error) {
    refusal = error
  }
  return refusal instanceof HttpError ? refusal.status : null
}
