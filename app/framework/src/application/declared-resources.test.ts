import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { publicRoute, secured } from '../authorization/access.ts'
import type { Handler } from '../http/route-types.ts'
import { routes } from '../http/routes.ts'
import { repository } from '../repository/repository.ts'
import { resource } from '../resource/resource.ts'
import { task } from '../tasks/task.ts'
import { navOfResources, routesOfResources, tasksOfResources } from './declared-resources.ts'

const ok: Handler = (_req, res) => void res.end()
const things = repository(resource('Thing', { table: 'things' as never, input: z.strictObject({}) }))
const list = routes('/things', { 'GET /': [publicRoute(), ok] })
const latest = routes('/latest', { 'GET /': [secured('admin'), ok] })
const actions = routes('/things/actions', { 'POST /': [secured(), ok] })

describe('routesOfResources', () => {
  it('takes one table, or several', () => {
    expect(routesOfResources([{ repository: things }])).toEqual([])
    expect(routesOfResources([{ repository: things, routes: list }])).toEqual([list])
    const several = [list, latest, actions]
    expect(routesOfResources([{ repository: things, routes: several }])).toEqual(several)
  })
})

describe('navOfResources', () => {
  const hrefs = (declared: Parameters<typeof navOfResources>[0]) =>
    navOfResources(declared).map(({ href, label, access }) => [href, label, access.access])

  it('links the first table with GET / under a single label', () => {
    expect(hrefs([{ repository: things, routes: [actions, list, latest], nav: 'Things' }])).toEqual([
      ['/things', 'Things', 'public'],
    ])
    expect(hrefs([{ repository: things, routes: actions, nav: 'Things' }])).toEqual([])
    expect(hrefs([{ repository: things, routes: list }])).toEqual([])
  })

  it('links each table that has a label of its own', () => {
    const nav = { '/latest': 'Latest', '/things': 'Things' } as const
    expect(hrefs([{ repository: things, routes: [list, latest], nav }])).toEqual([
      ['/latest', 'Latest', 'secured'],
      ['/things', 'Things', 'public'],
    ])
  })

  it.each(['/nowhere', '/things/actions'] as const)('throws for a label of %s', (base) => {
    expect(() => hrefs([{ repository: things, routes: [list, actions], nav: { [base]: 'X' } }])).toThrow(
      `nav: ${base} is the base of no route table with GET /.`,
    )
  })
})

describe('tasksOfResources', () => {
  it('returns the tasks of all of them', () => {
    const tidy = task('tidy', { description: 'Tidies.', run: () => Promise.resolve() })
    expect(tasksOfResources([{ repository: things }, { repository: things, tasks: [tidy] }])).toEqual([tidy])
  })
})
