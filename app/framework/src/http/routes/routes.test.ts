import express from 'express'
import { describe, expect, it } from 'vitest'
import { authorize, type Guard, jsonBody, load, publicRoute, routes, secured } from 'pergola'
import { mount } from 'pergola/app'
import type { Route } from './route-types.ts'
import { Note } from '../../../test/fixtures/note.ts'

const handler = () => {}
const run = () => {}
const mounted = (...route: unknown[]) => {
  const app = express()
  return () => mount(app, [routes('/x', { 'GET /:id': route as unknown as Route })])
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
    [
      'recently-confirmed',
      'recentlyConfirmed()',
      [secured(), { kind: 'recently-confirmed', seconds: 900, run }],
    ],
  ])("throws for an application's guard of kind %s", (kind, maker, route) => {
    expect(mounted(...route, handler)).toThrow(
      `GET /x/:id has a guard of its own with the kind '${kind}', which is reserved for ${maker}. Use another kind.`,
    )
  })

  it("accepts an application's guard of another kind", () => {
    expect(mounted(publicRoute(), { kind: 'trace', run }, handler)).not.toThrow()
  })
})
