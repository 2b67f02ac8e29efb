import { beforeEach, describe, expect, it } from 'vitest'
import {
  flash,
  formFor,
  type Guard,
  type Handler,
  limit,
  publicRoute,
  render,
  routes,
  secured,
} from 'pergola'
import { cache } from 'pergola/features'
import { guardInWords, listRoutes, routeFacts } from 'pergola/manifest'
import { clearRateLimits, testDatabase } from 'pergola/testing'
import { Note } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'

const fail: Handler = () => {
  throw new Error('broken')
}
const cached = cache('1 minute')
const handlers: Record<string, Handler> = {
  page: (_req, res) => render(res, 'home/index'),
  json: (_req, res) => void res.json({ open: true }),
  streamed: (_req, res) => void res.write('one', () => res.end('two')),
  cookie: (_req, res) => void res.cookie('seen', '1').send('sent'),
  later: (_req, res) => void res.writeHead(200, { 'Set-Cookie': 'seen=1' }).end('sent'),
  flash: async (req, res) => void res.send(await flash(req, 'Saved.')),
  form: (_req, res) => void res.json(formFor(Note)),
  moved: (_req, res) => res.redirect(303, '/'),
  missing: (_req, res) => void res.status(404).send('missing'),
  fail,
  language: (_req, res) => void res.set('Vary', 'Accept-Language').send('sent'),
  own: (_req, res) => void res.set('Cache-Control', 'no-store').send('sent'),
}
const cachedRoutes = routes('/cached', {
  ...Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [`GET /${name}`, [publicRoute(), cached, handler]]),
  ),
  'GET /plain': [publicRoute(), handlers['page']!],
  'GET /limited': [publicRoute(), cached, limit({ per: 'network', requests: 1, seconds: 60 }), fail],
  'POST /page': [publicRoute(), cached, handlers['json']!],
})

const database = await testDatabase()
const app = await testApp({ database, tables: [cachedRoutes] })
const [one, other] = [await app.newcomer(), await app.newcomer()]

const KEPT = 'public, max-age=60'
const path = (name: string) => `/cached/${name}`
const caching = async (name: string, headers: Record<string, string> = {}) =>
  (await app.guest.get(path(name), { headers })).headers.get('cache-control')
const session = { id: 'certificate', userId: one.user.id, name: 'Ann', roles: [] }
const varied = (headers: Headers) => (headers.get('vary') ?? '').toLowerCase().split(', ')

beforeEach(async () => {
  app.guest.cookies.clear()
  await clearRateLimits(database.db)
})

describe('cache', () => {
  it.each(['page', 'json', 'streamed', 'language'])('lets caches keep the %s of a guest', async (name) => {
    const { status, headers } = await app.guest.get(path(name))
    expect([status, headers.get('cache-control')]).toEqual([200, KEPT])
    expect(varied(headers)).toEqual(expect.arrayContaining(['cookie', 'authorization', 'hx-request']))
  })

  it('keeps the Vary of the handler and of the page', async () => {
    expect(varied((await app.guest.get(path('language'))).headers)).toContain('accept-language')
    expect(varied((await app.guest.get(path('page'))).headers)).toContain('hx-source')
  })

  it('answers HEAD with the headers of GET', async () => {
    const { headers, text } = await app.guest.head(path('page'))
    expect([headers.get('cache-control'), text]).toEqual([KEPT, ''])
  })

  it('lets no cache keep the page of a user', async () => {
    for (const user of [one, other]) {
      const { headers, text } = await user.get(path('page'))
      expect([headers.get('cache-control'), text.includes(user.user.name)]).toEqual(['no-store', true])
    }
  })

  it.each([
    ['a theme', { cookie: 'theme=dark' }],
    ['a session that ended', { cookie: 'sid=gone' }],
    ['an empty cookie', { cookie: 'theme=' }],
    // Without this Cache-Control, fetch sends no-cache, which prevents the 304.
    ['a request that any copy satisfies', { 'if-none-match': '*', 'cache-control': 'max-age=0' }],
    ['a token', { authorization: 'Bearer 1' }],
    ['a request of htmx', { 'hx-request': 'true' }],
    ['a request that claims not to be of htmx', { 'hx-request': 'false' }],
  ])('lets no cache keep the response to %s', async (_what, headers) => {
    expect(await caching('page', headers)).toBe('no-store')
  })

  it.each(['cookie', 'later', 'flash', 'form', 'moved', 'missing', 'fail', 'own', 'plain'])(
    'lets no cache keep the response “%s”',
    async (name) => {
      expect(await caching(name)).toBe('no-store')
    },
  )

  it('lets no cache keep a refusal of the guards behind it, or the answer to a write', async () => {
    const statuses = [await app.guest.get(path('limited')), await app.guest.get(path('limited'))]
    expect(statuses.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([
      [500, 'no-store'],
      [429, 'no-store'],
    ])
    expect((await app.guest.post(path('page'))).headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['a tenant', { tenantOf: () => Promise.resolve(1) }],
    ['a session without a cookie', { findSession: () => Promise.resolve(session) }],
  ])('lets no cache keep a response to %s', async (_what, parts) => {
    const special = await testApp({ database, tables: [cachedRoutes], ...parts })
    const { status, headers } = await special.guest.get(path('page'))
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  it('refuses a route that needs a session, and any other place', async () => {
    const own: Guard = { kind: 'own', run() {} }
    const start = (...guards: Parameters<typeof routes>[1][`GET /`][]) =>
      testApp({ database, tables: guards.map((route) => routes('/wrong', { 'GET /': route })) })
    await expect(start([secured(), cached, fail])).rejects.toThrow(/wrong: cache\(\) keeps.*publicRoute\(\)/)
    await expect(start([publicRoute(), own, cached, fail])).rejects.toThrow('directly behind publicRoute()')
  })

  it('is in the manifest', () => {
    const [route] = listRoutes([cachedRoutes])
    expect(routeFacts(route!).guards).toEqual(['public', 'cache 60s'])
    expect(guardInWords(cached)).toBe('lets caches keep the response to a guest for 60 seconds')
  })
})
