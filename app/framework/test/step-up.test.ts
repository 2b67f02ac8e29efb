import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Handler, publicRoute, recentlyConfirmed, routes, secured, type Session } from 'pergola'
import { compareManifests, guardInWords, listRoutes, routeFacts } from 'pergola/manifest'
import { testDatabase } from 'pergola/testing'
import { productionApp, productionManifest } from './fixtures/manifest.ts'
import { testApp } from './fixtures/test-app.ts'

const send: Handler = (_req, res) => void res.send('sent')
const table = routes('/vault', {
  'GET /': [secured(), recentlyConfirmed('15 minutes'), send],
  'POST /': [secured(), recentlyConfirmed('15 minutes'), send],
  'GET /verified': [secured({ verified: true }), send],
  'POST /verified': [secured({ verified: true }), send],
  'GET /admin': [secured({ roles: ['admin'], verified: true }), send],
})
const api = routes('/api/vault', {
  'GET /': [secured(), recentlyConfirmed('15 minutes'), send],
  'GET /verified': [secured({ verified: true }), send],
})

const events: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void events.push(JSON.parse(line)) })
let facts: Partial<Session> = {}
const app = await testApp({
  database: await testDatabase(),
  log,
  tables: [table, api],
  sessionOf: (session) => ({ ...session, ...facts }),
})
const user = await app.newcomer()
const admin = await app.newcomer({ roles: ['admin'] })

const CONFIRMATION = '/confirmation?return_to='
const htmx = { headers: { 'HX-Request': 'true' } }
const denials = () => events.filter(({ event }) => event === 'denied').map(({ cause }) => cause)
const place = (answer: { status: number; headers: Headers }) => [
  answer.status,
  answer.headers.get('location') ?? answer.headers.get('hx-redirect'),
]

beforeEach(() => {
  facts = {}
  events.length = 0
})

describe('secured({ verified: true })', () => {
  it('lets a verified user in', async () => {
    facts = { verified: true }
    expect((await user.get('/vault/verified')).status).toBe(200)
    expect((await admin.get('/vault/admin')).status).toBe(200)
    expect(denials()).toEqual([])
  })

  it.each([{}, { verified: false }, { verified: 'true' as never }])(
    'redirects a session with %j to the page',
    async (session) => {
      facts = session
      expect(place(await user.get('/vault/verified?x=1'))).toEqual([
        303,
        '/verification?return_to=%2Fvault%2Fverified%3Fx%3D1',
      ])
      expect(denials()).toEqual(['unverified'])
    },
  )

  it('requires one of the roles first', async () => {
    facts = { verified: true }
    expect((await user.get('/vault/admin')).status).toBe(403)
    facts = {}
    expect((await user.get('/vault/admin')).status).toBe(403)
    expect(denials()).toEqual(['missing_role', 'missing_role'])
  })

  it('redirects a guest to the sign-in page', async () => {
    expect(place(await app.guest.get('/vault/verified'))).toEqual([
      303,
      '/login?return_to=%2Fvault%2Fverified',
    ])
  })

  it('returns a 403 with a code from the API', async () => {
    const { status, text } = await user.get('/api/vault/verified')
    expect([status, JSON.parse(text)]).toMatchObject([
      403,
      { code: 'verification_required', detail: 'Verify your email address first.' },
    ])
  })

  it.each([{ options: ['admin'] }, { options: { role: 'admin' } }, { options: { verifed: true } }])(
    'throws for $options',
    ({ options }) => {
      expect(() => secured(options as never)).toThrow('secured() takes the names of roles, or an object')
    },
  )

  it('throws for an empty list of roles, which would admit any user', () => {
    expect(() => secured({ roles: [] })).toThrow('Add one, or leave roles out to admit any user.')
    expect(() => secured({ roles: [], verified: true })).toThrow('secured({ roles: [] }) lists no role.')
  })
})

describe('recentlyConfirmed', () => {
  it.each([0, 899, 900])('lets a user in who confirmed %i seconds ago', async (confirmedSecondsAgo) => {
    facts = { confirmedSecondsAgo }
    expect((await user.get('/vault')).status).toBe(200)
    expect((await user.post('/vault')).status).toBe(200)
    expect(denials()).toEqual([])
  })

  it.each([undefined, null, 901, -1, NaN, '1' as never])(
    'redirects a user who confirmed %s seconds ago to the page',
    async (confirmedSecondsAgo) => {
      facts = confirmedSecondsAgo === undefined ? {} : { confirmedSecondsAgo }
      expect(place(await user.get('/vault?x=1'))).toEqual([303, `${CONFIRMATION}%2Fvault%3Fx%3D1`])
      expect(denials()).toEqual(['unconfirmed'])
    },
  )

  it('returns to the page with the form after a refused write, with a parameter for an explanation', async () => {
    const referer = `${app.url}/form?x=1`
    expect(place(await user.post('/vault', { headers: { referer } }))).toEqual([
      303,
      `${CONFIRMATION}%2Fform%3Fx%3D1&refused=true`,
    ])
    const elsewhere = { referer: 'https://evil.example/form' }
    expect(place(await user.post('/vault', { headers: elsewhere }))).toEqual([
      303,
      `${CONFIRMATION}%2F&refused=true`,
    ])
  })

  it('makes htmx load the page in place of a GET', async () => {
    const answer = await user.get('/vault', htmx)
    expect([...place(answer), answer.text]).toEqual([403, `${CONFIRMATION}%2Fvault`, ''])
  })

  it('leaves the form of a write by htmx on its page, with a link', async () => {
    const answer = await user.post('/vault', { headers: { ...htmx.headers, referer: `${app.url}/form` } })
    expect(place(answer)).toEqual([403, null])
    expect(answer.text).toContain('Confirm your password, then try again.')
    expect(answer.text).toContain(`<a href="${CONFIRMATION}%2Fform">Confirm your password</a>`)
  })

  it('returns a 403 with a code from the API and for JSON', async () => {
    const json = { headers: { accept: 'application/json' } }
    for (const answer of [await user.get('/api/vault'), await user.get('/vault', json)])
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([403, { code: 'confirmation_required' }])
  })

  it('needs a session, a page and a minute', async () => {
    const start = (guarded: ReturnType<typeof routes>) => productionApp({ tables: [guarded] })
    const open = routes('/open', { 'GET /': [publicRoute(), recentlyConfirmed('1 hour'), send] })
    expect(() => start(open)).toThrow('GET /open: recentlyConfirmed() needs a session.')
    expect(() => recentlyConfirmed('59 seconds')).toThrow('Use at least 1 minute.')
    expect(() => recentlyConfirmed('soon' as never)).toThrow('is not a duration')
  })
})

describe('the manifest', () => {
  const facetsOf = (path: string) => {
    const route = listRoutes([table]).find((listed) => `${listed.method} ${listed.path}` === path)
    if (route === undefined) throw new Error(`No route is ${path}.`)
    const { classification, roles, guards } = routeFacts(route)
    return { classification, roles, guards, words: route.guards.map(guardInWords) }
  }

  it('describes both guards', () => {
    expect(facetsOf('GET /vault/admin')).toEqual({
      classification: 'gated',
      roles: ['admin'],
      guards: ['secured admin', 'verified'],
      words: ['is open to the role admin with a verified email address'],
    })
    expect(facetsOf('GET /vault')).toMatchObject({
      guards: ['secured', 'recently-confirmed in 900s'],
      words: [
        'is open to signed-in users',
        'asks for the password, unless the caller signed in or entered it in the last 900 seconds',
      ],
    })
  })

  it('reports a removed condition as wider', () => {
    const manifest = (guarded: ReturnType<typeof routes>) => {
      const { app, tables } = productionApp({ tables: [guarded] })
      return productionManifest({ app, tables: [...tables, guarded] })
    }
    const strict = manifest(
      routes('/x', { 'GET /': [secured({ verified: true }), recentlyConfirmed('15 minutes'), send] }),
    )
    const open = manifest(routes('/x', { 'GET /': [secured(), send] }))
    expect(compareManifests(strict, open).wider).toEqual([
      'GET /x no longer has the guard “verified”.',
      'GET /x no longer has the guard “recently-confirmed in 900s”.',
    ])
    expect(compareManifests(open, strict).wider).toEqual([])
  })
})
