import express from 'express'
import { describe, expect, it } from 'vitest'
import { authorize, type Guard, jsonBody, load, publicRoute, repository, routes, secured } from 'pergola'
import { registryOfResources } from 'pergola/app'
import { useAuthorization } from '../../policy/policy-state.ts'
import type { Route, RouteTable } from './route-types.ts'
import { mount } from './routes.ts'
import { Note, notes } from '../../../test/fixtures/note.ts'
import { User } from '../../../test/fixtures/user.ts'

const handler = () => {}
const run = () => {}
const mounted = (...route: unknown[]) => {
  const app = express()
  return () => mount(app, [routes('/x', { 'GET /:id': route as unknown as Route })])
}

function mountIn(declared: Parameters<typeof registryOfResources>[0], table: object, base = '/x') {
  const app = express()
  const findSession = () => Promise.resolve(null)
  useAuthorization(app, {
    registry: registryOfResources(declared),
    forbiddenResponse: '404',
    findSession,
    report: () => {},
  })
  mount(app, [routes(base, table as RouteTable)])
}

describe('builtInGuard', () => {
  const guards: Guard[] = [publicRoute(), secured('admin'), load(Note), authorize('show', Note), jsonBody()]

  it.each(guards)('marks and freezes the $kind guard', (guard) => {
    expect(guard.isBuiltIn).toBe(true)
    expect(() => Object.assign(guard, { run })).toThrow('read only')
  })
})

describe('mount', () => {
  it.each<[string, string, unknown[]]>([
    ['access', 'secured() or publicRoute()', [{ kind: 'access', access: 'public', roles: [], run }]],
    ['load', 'load()', [publicRoute(), { kind: 'load', run }]],
    ['authorize', 'authorize()', [publicRoute(), load(Note), { kind: 'authorize', run }]],
  ])("throws for an application's guard of kind %s", (kind, maker, route) => {
    expect(mounted(...route, handler)).toThrow(
      `GET /x/:id has a guard of its own with the kind '${kind}', which is reserved for ${maker}. Use another kind.`,
    )
  })

  it("accepts an application's guard of another kind", () => {
    expect(mounted(publicRoute(), { kind: 'trace', run }, handler)).not.toThrow()
  })

  it('rejects a route without an access guard', () => {
    for (const route of [[handler], [load(Note), handler], [publicRoute()], []]) {
      expect(() => mountIn([{ repository: notes }], { 'GET /': route })).toThrow(
        /^\S*src\/http\/routes\/routes\.test\.ts:\d+: GET \/x has no access guard/,
      )
    }
  })

  it('rejects two access guards', () => {
    expect(() => mountIn([], { 'GET /': [publicRoute(), secured(), handler] })).toThrow('two access guards')
  })

  it('rejects authorize without a load of its record', () => {
    const show = authorize('show', Note)
    const expectRefusal = (route: unknown[]) => {
      expect(() => mountIn([{ repository: notes }], { 'GET /:id': route })).toThrow(
        'Put load(Note) before it',
      )
    }
    expectRefusal([publicRoute(), show, handler])
    expectRefusal([publicRoute(), show, load(Note), handler])
    expectRefusal([publicRoute(), load(User), show, handler])
    expectRefusal([publicRoute(), load(Note, { as: 'other' }), show, handler])
  })

  it('rejects two records with one name', () => {
    const twice = [load(Note), load(User, { as: 'note' }), authorize('show', Note)]
    expect(() =>
      mountIn([{ repository: notes }], { 'GET /:id': [publicRoute(), ...twice, handler] }),
    ).toThrow("load(User) replaces the record 'note'. Pass another name: { as: '…' }.")
  })

  it('rejects a load without authorize', () => {
    expect(() =>
      mountIn([{ repository: notes }], { 'GET /:id': [publicRoute(), load(Note), handler] }),
    ).toThrow(
      "GET /x/:id loads a record, but authorizes no action on it. Put authorize('show', …) after load(…).",
    )
  })

  it('rejects a guard whose resource has no policy', () => {
    const bare = repository(User)
    const route = { 'GET /:id': [publicRoute(), load(User), authorize('show', User), handler] }
    expect(() => mountIn([{ repository: bare }], route)).toThrow('User has no policy')
  })

  it('rejects a load by a parameter that is not in the path', () => {
    const guards = [publicRoute(), load(Note), authorize('show', Note)] as const
    expect(() => mountIn([{ repository: notes }], { 'GET /:note': [...guards, handler] })).toThrow(
      "looks for ':id'",
    )
  })

  it('rejects the same route twice', () => {
    const app = express()
    const table = routes('/x', { 'GET /': [publicRoute(), handler] })
    expect(() => mount(app, [table, table])).toThrow('GET /x is mounted twice. Remove one.')
  })
})
