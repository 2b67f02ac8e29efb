import { Socket } from 'node:net'
import type { Application, Express } from 'express'
import { RULE_DEADLINE } from '../policy/decide.ts'
import { authorizationOf } from '../policy/policy-state.ts'
import { HttpError } from '../http/errors.ts'
import type { Layer } from '../http/routes/layers.ts'
import { httpSettings, type Rate } from '../http/settings.ts'
import { IncomingMessage, ServerResponse } from '../http/node-http.ts'
import { liveLayers } from './live-layers.ts'
import type { Dimensions, Settings } from './schema.ts'

/** Returns the names of the middleware, in order. */
export const middlewareOf = (app: Application): string[] =>
  liveLayers(app)
    .filter(({ is }) => is === 'middleware')
    .map(({ path, name }) => (path === '/' ? name : `${name} below ${path}`))

/** Returns the cross-origin check in the Express stack, and the routes before it, which are exempt. */
export function csrfOf(app: Application): Dimensions['csrf'] {
  const { name, before } = middlewareWith(app, 'cross-origin check')
  return { provenance: 'provable', check: name, exempt: before }
}

/** Returns the headers that the middleware sets, and the routes before it, which don't have these headers. */
export function securityHeadersOf(app: Application): Dimensions['security_headers'] {
  const { handle, before } = middlewareWith(app, 'security headers')
  const { req, res } = unsentExchange(app)
  void handle?.(req, res, () => {})
  const headers = handle === undefined ? [] : Object.entries(res.getHeaders())
  const texts = headers.map(([name, value]) => [name, String(value)] as const)
  return { provenance: 'provable', headers: Object.fromEntries(texts), missing_on: before }
}

/** Returns the settings of an application that affect access. */
export function settingsOf(
  app: Application,
  allowsUnauthorizedApis: boolean,
  values: Settings['passed']['values'] = {},
): Settings {
  const { registry, findSession, tenantOf } = authorizationOf(app)
  const { writes, searches } = httpSettings(app).limits ?? {}
  const proxy: unknown = app.get('trust proxy')
  return {
    running: {
      provenance: 'provable',
      trust_proxy: typeof proxy === 'function' ? 'a function' : JSON.stringify(proxy),
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

/**
 * Returns the status with which the middleware of this role refuses a write from another host, whose page belongs to
 * that host too. So an own origin that comes from the `Host` header accepts it. Null if it is not refused.
 */
function refusalOf(app: Application, role: Layer['is']): number | null {
  const { handle } = middlewareWith(app, role)
  const { req, res } = unsentExchange(app)
  const headers = { host: 'other-host.invalid', origin: 'http://other-host.invalid' }
  const rawHeaders = Object.entries(headers).flat()
  Object.assign(req, { method: 'POST', url: '/', originalUrl: '/', rawHeaders })
  Object.assign(req.headers, headers)
  let refusal: unknown = null
  try {
    void handle?.(req, res, (error?: unknown) => {
      refusal = error
    })
  } catch (error) {
    refusal = error
  }
  return refusal instanceof HttpError ? refusal.status : null
}

/** Returns a request and its response for a middleware. The socket is never connected, so nothing is sent. */
function unsentExchange(app: Application) {
  const { request, response } = app as Express
  const req = Object.setPrototypeOf(new IncomingMessage(new Socket()), request) as typeof request
  const res = Object.setPrototypeOf(new ServerResponse(req), response) as typeof response
  return { req, res }
}

/**
 * Returns the first middleware of this role that runs for every request, and the routes before it: all routes if it is
 * missing.
 */
function middlewareWith(app: Application, role: Layer['is']) {
  const layers = liveLayers(app)
  const at = layers.findIndex(({ path, known }) => path === '/' && known?.is === role)
  const routes = layers
    .slice(0, at < 0 ? undefined : at)
    .filter(({ is, path }) => is === 'route' || path !== '/')
    .map(({ method, path }) => `${method} ${path}`)
  const { name = null, handle } = layers[at] ?? {}
  return { name, handle, before: [...new Set(routes)].toSorted() }
}
