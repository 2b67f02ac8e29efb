import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { publicRoute, secured } from '../policy/access.ts'
import type { Handler } from '../http/routes/route-types.ts'
import { routes } from '../http/routes/routes.ts'
import { policy } from '../policy/policy.ts'
import { repository } from '../repository/repository.ts'
import { resource } from '../resource/declare-resource.ts'
import { task } from '../tasks/task.ts'
import {
  pagesOfResources,
  navOfResources,
  registryOfResources,
  routesOfResources,
  tasksOfResources,
} from './declared-resources.ts'

declare module 'pergola' {
  interface Tables {
    things: { id: number }
  }
}

const ok: Handler = (_req, res) => void res.end()
const Thing = resource('Thing', { table: 'things', input: z.strictObject({}) })
const things = repository(Thing)
const list = routes('/things', { 'GET /': [publicRoute(), ok] })
const latest = routes('/latest', { 'GET /': [secured('admin'), ok] })
const actions = routes('/things/actions', { 'POST /': [secured(), ok] })

describe('registryOfResources', () => {
  it('rejects a second policy for a resource', () => {
    const [first, second] = [{}, {}].map((rules) => repository(Thing, { policy: policy(Thing, rules) }))
    expect(() => registryOfResources([{ repository: first! }, { repository: second! }])).toThrow(
      'Thing has more than one policy',
    )
  })
})

describe('routesOfResources', () => {
  it('takes one table, or several', () => {
    expect(routesOfResources([{ repository: things }])).toEqual([])
    expect(routesOfResources([{ repository: things, routes: { list } }])).toEqual([list])
    const several = { list, latest, actions }
    expect(routesOfResources([{ repository: things, routes: several }])).toEqual([list, latest, actions])
  })
})

describe('pagesOfResources', () => {
  it('returns the tables of all resources by name', () => {
    const declared = [
      { repository: things, routes: { list } },
      { repository: things, routes: { latest } },
    ]
    expect(pagesOfResources(declared)).toEqual({ list, latest })
  })

  it('throws if two tables have one name', () => {
    const declared = [
      { repository: things, routes: { list } },
      { repository: things, routes: { list: latest } },
    ]
    expect(() => pagesOfResources(declared)).toThrow('Two route tables have the name list')
  })
})

describe('navOfResources', () => {
  const hrefs = (declared: Parameters<typeof navOfResources>[0]) =>
    navOfResources(declared).map(({ href, label, access }) => [href, label, access.access])

  it('links the first table with GET / under a single label', () => {
    expect(hrefs([{ repository: things, routes: { actions, list, latest }, nav: 'Things' }])).toEqual([
      ['/things', 'Things', 'public'],
    ])
    expect(hrefs([{ repository: things, routes: { actions }, nav: 'Things' }])).toEqual([])
    expect(hrefs([{ repository: things, routes: { list } }])).toEqual([])
  })

  it('links each table that has a label of its own', () => {
    const nav = { latest: 'Latest', list: 'Things' }
    expect(hrefs([{ repository: things, routes: { list, latest }, nav }])).toEqual([
      ['/latest', 'Latest', 'secured'],
      ['/things', 'Things', 'public'],
    ])
  })

  it('lists links without a group first, and keeps the links of a group together', () => {
    const declared = [
      { repository: things, routes: { latest }, nav: 'Latest', navGroup: 'Admin' },
      { repository: things, routes: { list }, nav: 'Things' },
      { repository: things, routes: { list }, nav: 'More', navGroup: 'Other' },
      { repository: things, routes: { list }, nav: 'Users', navGroup: 'Admin' },
    ]
    expect(navOfResources(declared).map(({ group, label }) => [group, label])).toEqual([
      [undefined, 'Things'],
      ['Admin', 'Latest'],
      ['Admin', 'Users'],
      ['Other', 'More'],
    ])
  })

  it.each(['nothing', 'actions'])('throws for a label of %s', (name) => {
    expect(() => hrefs([{ repository: things, routes: { list, actions }, nav: { [name]: 'X' } }])).toThrow(
      `nav: ${name} is not a route table of the resource with GET /.`,
    )
  })
})

describe('tasksOfResources', () => {
  it('returns the tasks of all of them', () => {
    const tidy = task('tidy', { description: 'Tidies.', run: () => Promise.resolve() })
    expect(tasksOfResources([{ repository: things }, { repository: things, tasks: [tidy] }])).toEqual([tidy])
  })
})
