import express from 'express'
import { describe, expect, it } from 'vitest'
import { authorize, type Guard, jsonBody, load, mount, publicRoute, routes, secured } from 'pergola'
import type { Route } from './routes.ts'
import { Note } from '../../test/fixtures/note.ts'
import { isGenuine } from './routes.ts'

const handler = () => {}
const run = () => {}
const mounted = (...route: unknown[]) => {
  const app = express()
  return () => mount(app, [routes('/x', { 'GET /:id': route as unknown as Route })])
}

describe('guard', () => {
  const guards: Guard[] = [publicRoute(), secured('admin'), load(Note), authorize('show', Note), jsonBody()]

  it.each(guards)('keeps the $kind guard as it was made', (guard) => {
    expect(isGenuine(guard)).toBe(true)
    expect(() => Object.assign(guard, { run })).toThrow('read only')
    expect(isGenuine({ ...guard })).toBe(false)
  })
})

describe('mount', () => {
  it.each<[string, string, unknown[]]>([
    ['access', 'secured() or publicRoute()', [{ ...secured('admin'), run }]],
    ['access', 'secured() or publicRoute()', [Object.create(secured('admin'), { run: { value: run } })]],
    ['load', 'load()', [publicRoute(), { ...load(Note), run }]],
    [
      'authorize',
      'authorize()',
      [publicRoute(), load(Note), { ...authorize('delete', Note), run, check() {} }],
    ],
  ])('refuses what passes for a guard of kind %s', (kind, maker, route) => {
    expect(mounted(...route, handler)).toThrow(
      `GET /x/:id has a guard that says it is of kind '${kind}', and ${maker} didn't make it. Use what`,
    )
  })

  it('takes a guard of the application’s own', () => {
    expect(mounted(publicRoute(), { kind: 'trace', run }, handler)).not.toThrow()
  })
})
