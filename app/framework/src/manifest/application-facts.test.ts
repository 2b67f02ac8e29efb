import { describe, expect, it } from 'vitest'
import { refuseCrossOrigin, requestChecks } from 'pergola/app'
import { authorizationOf, useAuthorization } from '../policy/policy-state.ts'
import { productionApp, removeMiddleware } from '../../test/fixtures/manifest.ts'
import { settingsOf } from './application-facts.ts'

/** Returns the application without a middleware. */
function without(name: string) {
  const { app } = productionApp()
  removeMiddleware(app, name)
  return app
}

const running = (app = productionApp().app) => settingsOf(app, false).running

describe('settingsOf', () => {
  it('reads the settings of the running application', () => {
    expect(running()).toEqual({
      provenance: 'provable',
      trust_proxy: 'false',
      rule_deadline_ms: 5000,
      refuses_other_hosts: true,
      has_fixed_origin: true,
      default_limits: { writes: '120 in 60s', searches: '60 in 60s' },
    })
    const { default_limits } = running(productionApp({ limits: {} }).app)
    expect(default_limits).toEqual({ writes: null, searches: null })
  })

  it('finds a missing host check, and one that accepts every host', () => {
    const app = without('requestChecks')
    expect(running(app).refuses_other_hosts).toBe(false)
    app.use(requestChecks(() => true))
    expect(running(app).refuses_other_hosts).toBe(false)
    app.use(requestChecks((host) => host === 'example.org'))
    expect(running(app).refuses_other_hosts).toBe(false)
  })

  it('finds a missing cross-origin check, and an origin from the Host header', () => {
    expect(running(without('refuseCrossOrigin')).has_fixed_origin).toBe(false)
    expect(running(productionApp({ baseUrl: null }).app)).toMatchObject({
      refuses_other_hosts: true,
      has_fixed_origin: false,
    })
  })

  it('does not count checks of one path', () => {
    const withoutHosts = without('requestChecks')
    withoutHosts.use(
      '/api',
      requestChecks(() => false),
    )
    expect(running(withoutHosts).refuses_other_hosts).toBe(false)
    const withoutOrigin = without('refuseCrossOrigin')
    withoutOrigin.use(
      '/api',
      refuseCrossOrigin(() => 'https://example.org'),
    )
    expect(running(withoutOrigin).has_fixed_origin).toBe(false)
  })

  it('reads trust proxy and the deadline of rules', () => {
    const { app } = productionApp()
    const authorization = authorizationOf(app)
    useAuthorization(app, { ...authorization, registry: { ...authorization.registry, ruleDeadline: 100 } })
    app.set('trust proxy', 2)
    expect(running(app)).toMatchObject({ trust_proxy: '2', rule_deadline_ms: 100 })
    app.set('trust proxy', () => true)
    expect(running(app).trust_proxy).toBe('a function')
  })

  it('reads the name of findSession', () => {
    const { app } = productionApp()
    const nobody = () => Promise.resolve(null)
    useAuthorization(app, { ...authorizationOf(app), findSession: nobody })
    expect(settingsOf(app, true)).toMatchObject({
      identity: { provenance: 'declared', find_session: 'nobody', tenant_of: null },
      passed: { provenance: 'declared', allows_unauthorized_apis: true },
    })
  })
})
