import express, { type Express, type RequestHandler, Router } from 'express'
import { describe, expect, it } from 'vitest'
import { productionApp, productionManifest } from '../../test/fixtures/manifest.ts'
import { listRoutes } from 'pergola/manifest'
import { publicRoute, routes, secured } from 'pergola'
import { mount } from '../http/routes/routes.ts'
import { liveLayers } from './live-layers.ts'
import { strayRoutes, straySentences } from './stray-routes.ts'

const handler = function answer(_req: unknown, res: express.Response) {
  res.end()
}

const listed = routes('/aside', { 'GET /': [publicRoute(), handler] })

const copied = routes('/notes', { 'GET /': [publicRoute(), handler] })

const BACKDOORS: [name: string, open: (app: Express) => unknown, ...found: string[]][] = [
  ['app.get', (app) => app.get('/backdoor', handler), 'GET /backdoor'],
  ['app.all', (app) => app.all('/backdoor', handler), 'ALL /backdoor'],
  ['app.get with a pattern', (app) => app.get(/^\/back/, handler), 'GET /^\\/back/'],
  ['app.get with two paths', (app) => app.get(['/a', '/b'], handler), 'GET (/a|/b)'],
  ['a router', (app) => app.use('/x', Router().get('/y', handler)), 'GET /x/y'],
  [
    'a router in a router',
    (app) => app.use('/x', Router().use('/:y', Router().post('/z', handler))),
    'POST /x/:y/z',
  ],
  ['a middleware with a path', (app) => app.use('/hidden', handler), 'ALL /hidden'],
  ['a middleware with a path in a router', (app) => app.use(Router().use('/deep', handler)), 'ALL /deep'],
  ['a middleware in a router below a path', (app) => app.use('/x', Router().use(handler)), 'ALL /x'],
  ['an application in the application', (app) => app.use(express().get('/y', handler)), 'ALL /'],
  ['a route with the path of a route in a table', (app) => app.get('/notes', handler), 'GET /notes'],
  ['a table that is not listed', (app) => mount(app, [listed]), 'GET /aside'],
  ['a table with the path of another table', (app) => mount(app, [copied]), 'GET /notes'],
]

describe('strayRoutes', () => {
  it('finds nothing in the unchanged application', () => {
    const { app, tables } = productionApp()
    expect(strayRoutes(app, tables)).toEqual([])
  })

  it.each(BACKDOORS)('finds %s', (_, open, ...found) => {
    const { app, tables } = productionApp()
    open(app)
    const strays = strayRoutes(app, tables)
    expect(strays.map(({ method, path }) => `${method} ${path}`)).toEqual(found)
    const [sentence] = straySentences(strays)
    expect(sentence).toContain(found[0])
    expect(sentence).toContain('Move it into a route table: routes(')
  })

  it('finds the route of a table with a second handler behind it', () => {
    const { app, tables } = productionApp()
    const layer = liveLayers(app).find((one) => one.is === 'route' && one.path === '/notes')
    const withHandlers = (...others: RequestHandler[]) =>
      express().get('/notes', layer?.handle ?? handler, ...others)
    expect(strayRoutes(withHandlers(), tables)).toEqual([])
    expect(strayRoutes(withHandlers(handler), tables)).toMatchObject([{ method: 'GET', path: '/notes' }])
  })

  it('finds a table that is mounted twice', () => {
    const { app, tables } = productionApp()
    mount(app, tables.slice(0, 1))
    const strays = strayRoutes(app, tables)
    expect(strays.map(({ method, path }) => `${method} ${path}`)).toEqual(
      listRoutes(tables.slice(0, 1)).map(({ method, path }) => `${method} ${path}`),
    )
    expect(strays.length).toBeGreaterThan(0)
  })

  it('finds a route whose guards differ from its table', () => {
    const { app, tables } = productionApp()
    const [first, ...others] = tables
    const gated = routes('', { 'GET /': [secured('admin'), handler] })
    expect(strayRoutes(app, [gated, ...others])).toMatchObject([{ method: 'GET', path: '/' }])
    expect(strayRoutes(app, [first ?? gated, ...others])).toEqual([])
  })

  it('lists an added middleware by its name, which changes the manifest', () => {
    const production = productionApp()
    production.app.use(function another(_req, _res, next) {
      next()
    })
    expect(strayRoutes(production.app, production.tables)).toEqual([])
    const { middleware } = productionManifest(production).dimensions.routes
    expect(middleware).toEqual([...productionManifest().dimensions.routes.middleware, 'another'])
  })

  it('marks stray routes as unclassified in the manifest', () => {
    const production = productionApp()
    production.app.get('/backdoor', handler)
    const unclassified = productionManifest(production).dimensions.routes.entries.filter(
      ({ classification }) => classification === 'unclassified',
    )
    expect(unclassified).toEqual([
      {
        method: 'GET',
        path: '/backdoor',
        name: 'answer',
        classification: 'unclassified',
        roles: [],
        policy: null,
        guards: [],
      },
    ])
  })
})
