import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { pino } from 'pino'
import { type Handler, publicRoute, repository, routes } from 'pergola'
import { comparable } from 'pergola/testing'
import {
  makeTestNote,
  TestNote,
  testNoteApp,
  testNoteDatabase,
  testNotePolicy,
  testNotes,
} from '#app/test/test-note.ts'
import { makeUser } from '#app/users/user.factory.ts'

const database = await testNoteDatabase()
const app = await testNoteApp({ database })
const user = await app.within(() => makeUser())
const client = await app.signInAs(user.email)

/** Sends a raw request. Returns the status of the response, or 0 if the connection was closed. */
async function rawStatus(request: string): Promise<number> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.end(request.replaceAll('\n', '\r\n'))
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  await once(socket, 'close')
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
}

describe('every response', () => {
  const paths = [
    '/',
    '/test-notes',
    '/test-notes/1',
    '/api/test-notes',
    '/api/test-notes/x',
    '/login',
    '/nowhere',
    '/livez',
    '/assets/0/none.css',
  ]

  it.each(paths)('carries the security headers: %s', async (path) => {
    const { headers } = await app.guest.get(path)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';" +
        "manifest-src 'self';form-action 'self';base-uri 'none';object-src 'none';frame-ancestors 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('permissions-policy')).toContain('camera=()')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect([headers.get('x-powered-by'), headers.get('server'), headers.get('etag')]).toEqual([
      null,
      null,
      null,
    ])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('has `Vary: HX-Request` if it is a page', async () => {
    for (const path of ['/login', '/nowhere']) {
      expect((await app.guest.get(path)).headers.get('vary')).toContain('HX-Request')
    }
  })

  it('has a request id of the server, whatever id the client sends', async () => {
    const headers = { 'x-request-id': '00000000-0000-4000-8000-000000000000' }
    const ids = [await app.guest.get('/livez', { headers }), await app.guest.get('/livez', { headers })]
    expect(new Set([headers, ...ids.map((answer) => answer.headers.get('x-request-id'))]).size).toBe(3)
  })
})

describe('GET /assets', () => {
  it('is cached as immutable with its fingerprint, and not cached with another fingerprint', async () => {
    const { text } = await app.guest.get('/')
    const address = /\/assets\/[0-9a-f]{16}\/app\.css/.exec(text)?.[0] ?? ''
    const { status, headers } = await app.guest.get(address)
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    const old = await app.guest.get(address.replace(/[0-9a-f]{16}/, '0'.repeat(16)))
    expect([old.status, old.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  })

  it('answers a missing file without a page', async () => {
    const { status, text } = await app.guest.get(`/assets/${'0'.repeat(16)}/none.css`)
    expect([status, text]).toEqual([404, 'Not found'])
  })

  it.each(['/assets/0/..%2Fapp%2Fconfig.toml', '/assets/0/config.toml', '/assets/app.css', '/assets/'])(
    'returns 404 for a file that is not listed: %s',
    async (path) => {
      expect((await app.guest.get(path)).status).toBe(404)
    },
  )
})

describe('a write from another site', () => {
  const write = (headers: Record<string, string>) =>
    client.post('/test-notes', { headers, form: { title: 'T', body: 'B' } }).then(({ status }) => status)

  it.each([
    [{}, 303],
    [{ 'sec-fetch-site': 'same-origin' }, 303],
    [{ 'sec-fetch-site': 'none' }, 303],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': '' }, 403],
    [{ 'sec-fetch-site': 'same-origin, none' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 403],
    [{ origin: app.url.replace('http', 'https') }, 403],
    [{ origin: app.url }, 303],
    [{ origin: app.url, 'sec-fetch-site': 'same-origin' }, 303],
    [{ origin: app.url, 'sec-fetch-site': 'cross-site' }, 403],
  ])('%o → %i', async (headers, status) => {
    expect(await write(headers as Record<string, string>)).toBe(status)
  })

  it('is rejected for sign-in and sign-out too, and keeps the session', async () => {
    const cross = { headers: { 'sec-fetch-site': 'cross-site' } }
    const attempts = [
      client.post('/login', cross),
      client.post('/logout', cross),
      client.put('/api/test-notes/1', cross),
    ]
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([403, 403, 403])
    expect((await client.get('/test-notes/new')).status).toBe(200)
  })

  it('gets no CORS permission for reads', async () => {
    const { status, headers } = await client.get('/api/test-notes', {
      headers: { origin: 'https://evil.example' },
    })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
  })
})

describe('a malformed request', () => {
  const many = Array.from({ length: 101 }, (_, index) => `X-${index}: 1`).join('\n')

  it.each([
    ['a foreign host', 'GET / HTTP/1.1\nHost: evil.example\nConnection: close\n\n', 421],
    ['two hosts', 'GET / HTTP/1.1\nHost: localhost\nHost: localhost\nConnection: close\n\n', 400],
    ['no host', 'GET / HTTP/1.0\n\n', 400],
    ['an absolute target', 'GET http://evil.example/ HTTP/1.1\nHost: localhost\nConnection: close\n\n', 400],
    [
      'another transfer encoding',
      'POST / HTTP/1.1\nHost: localhost\nTransfer-Encoding: gzip\nConnection: close\n\n',
      400,
    ],
    ['too many headers', `GET / HTTP/1.1\nHost: localhost\n${many}\nConnection: close\n\n`, 431],
    ['headers too long', `GET / HTTP/1.1\nHost: localhost\nX-Long: ${'x'.repeat(20_000)}\n\n`, 431],
    ['a broken path', 'GET /test-notes/%E0%A4%A HTTP/1.1\nHost: localhost\nConnection: close\n\n', 400],
  ])('is rejected: %s', async (_, request, status) => {
    const answered = await rawStatus(request)
    expect(status === 400 ? [400, 501] : [status]).toContain(answered)
  })

  it('is accepted for each local host name', async () => {
    for (const host of ['localhost', 'localhost:1', '127.0.0.1:80', '[::1]:80']) {
      expect(await rawStatus(`GET /login HTTP/1.1\nHost: ${host}\nConnection: close\n\n`)).toBe(200)
    }
  })
})

describe('a body', () => {
  it('returns 413 if it is too large', async () => {
    const title = 'x'.repeat(300_000)
    expect((await client.post('/test-notes', { form: { title, body: 'B' } })).status).toBe(413)
    expect((await client.post('/api/test-notes', { json: { title, body: 'B' } })).status).toBe(413)
    const fields = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, '1']))
    expect((await client.post('/test-notes', { form: fields })).status).toBe(413)
  })

  it('changes nothing if the route expects a form and the body is not a form', async () => {
    const note = await app.within(() => makeTestNote({ owner_id: user.id }))
    const bodies = [
      { json: { title: 'x' } },
      { body: 'title=x', headers: { 'content-type': 'text/plain' } },
      {},
    ]
    for (const sent of bodies) expect((await client.put(`/test-notes/${note.id}`, sent)).status).toBe(415)
    expect((await client.get(`/api/test-notes/${note.id}`)).json()).toEqual(note)
  })

  it('can contain twenty thousand characters in any script', async () => {
    const answer = await client.post('/test-notes', { form: { title: 'Long', body: '庭'.repeat(20_000) } })
    expect(answer.status).toBe(303)
  })

  it('is rejected if it is nested too deeply', async () => {
    const nested = `{"title":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const headers = { 'content-type': 'application/json' }
    expect((await client.post('/api/test-notes', { body: nested, headers })).status).toBe(422)
    const { id } = await app.within(() => makeTestNote({ owner_id: user.id }))
    const aimed = await client.put(`/api/test-notes/${id}`, { body: nested.replace('title', 'id'), headers })
    expect(aimed.status).toBe(422)
  })
})

describe('the status of another library’s error', () => {
  it('is not used for the response, which is a 500', async () => {
    const upstream: Handler = () => {
      throw Object.assign(new Error('upstream'), { status: 404 })
    }
    const table = routes('/upstream', { 'GET /': [publicRoute(), upstream] })
    const calling = await testNoteApp({ database, resources: [{ repository: testNotes, routes: { table } }] })
    expect((await calling.guest.get('/upstream')).status).toBe(500)
  })
})

describe('a flash message', () => {
  it('is kept after a HEAD request', async () => {
    await client.post('/test-notes', { form: { title: 'Announced', body: 'B' } })
    await client.head('/account')
    expect((await client.get('/account')).text).toContain('Note created.')
  })
})

describe('_method', () => {
  it('is read from the body of a form only', async () => {
    expect((await client.post('/test-notes/1?_method=DELETE', { form: {} })).status).toBe(405)
    expect(
      (await client.post('/test-notes/1', { headers: { 'x-http-method-override': 'DELETE' } })).status,
    ).toBe(405)
    expect((await client.post('/api/test-notes/1', { form: { _method: 'DELETE' } })).status).toBe(405)
    expect((await client.get('/test-notes?_method=DELETE')).status).toBe(200)
  })

  it.each(['GET', 'TRACE', 'delete', ''])('can’t be %s', async (_method) => {
    expect((await client.post('/test-notes/1', { form: { _method } })).status).toBe(400)
  })
})

describe('a guest', () => {
  const headers = (more: Record<string, string>) => ({ headers: { accept: 'text/html', ...more } })

  it('is redirected to the sign-in page, with the path to return to', async () => {
    const answer = await app.guest.get('/test-notes/new?draft=1', headers({}))
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/login?return_to=%2Ftest-notes%2Fnew%3Fdraft%3D1',
    ])
  })

  it('gets a full-page redirect for an htmx request', async () => {
    const answer = await app.guest.get('/test-notes/new', headers({ 'hx-request': 'true' }))
    expect([answer.status, answer.headers.get('hx-redirect')]).toEqual([
      401,
      '/login?return_to=%2Ftest-notes%2Fnew',
    ])
  })

  it('gets problem+json for a JSON request', async () => {
    const json = await app.guest.get('/test-notes/new', { headers: { accept: 'application/json' } })
    expect([json.status, json.headers.get('content-type')]).toEqual([
      401,
      'application/problem+json; charset=utf-8',
    ])
    expect(json.json()).toMatchObject({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      code: 'unauthorized',
    })
  })
})

describe('variants of a URL', () => {
  it('get the same decision or a 404', async () => {
    const [note, draft] = await app.within(() =>
      Promise.all([makeTestNote(), makeTestNote({ published: false })]),
    )
    const formsOf = (id: number) => [
      `/api/test-notes/${id}/`,
      `/api/test-notes/%3${String(id)[0]}${String(id).slice(1)}`,
    ]
    for (const path of formsOf(note.id)) expect((await client.get(path)).json()).toEqual(note)
    for (const path of formsOf(draft.id)) expect((await client.get(path)).status).toBe(404)
    const nothing = [
      `/API/test-notes/${note.id}`,
      `/api//test-notes/${note.id}`,
      `/api/test-notes/${note.id};x`,
      `/api/test-notes/${note.id}.json`,
    ]
    for (const path of nothing) expect((await client.get(path)).status).toBe(404)
  })
})

describe('health', () => {
  it('returns the liveness and the readiness of the process', async () => {
    const unready = await testNoteApp({ database, ready: () => Promise.reject(new Error('no database')) })
    expect((await app.guest.get('/readyz')).status).toBe(200)
    expect((await unready.guest.get('/livez')).status).toBe(200)
    expect((await unready.guest.get('/readyz')).status).toBe(503)
  })
})

describe('a denied record', () => {
  const makeDraft = () => app.within(() => makeTestNote({ published: false }))

  it('gets the same page as a missing record', async () => {
    const headers = { accept: 'text/html' }
    for (const reader of [app.guest, client]) {
      const { id } = await makeDraft()
      const [denied, elsewhere] = [
        await reader.get(`/test-notes/${id}`, { headers }),
        await reader.get('/test-notes/999999999', { headers }),
      ]
      await app.within(() => testNotes.asSystem('test').delete(id))
      const missing = await reader.get(`/test-notes/${id}`, { headers })
      expect(denied.status).toBe(404)
      expect(comparable(denied)).toEqual(comparable(missing))
      expect(comparable(elsewhere)).toEqual(comparable(missing))
    }
  })

  it.each([
    ['404', 404],
    ['403', 403],
  ])('gets the status of security.forbidden_response: "%s"', async (setting, status) => {
    const { id } = await makeDraft()
    const set = await testNoteApp({ database, env: { SECURITY__FORBIDDEN_RESPONSE: setting } })
    const reader = await set.signInAs(user.email)
    for (const path of [`/test-notes/${id}`, `/api/test-notes/${id}`])
      expect((await reader.get(path)).status).toBe(status)
  })
})

describe('a missing scope', () => {
  const bare = repository(TestNote, { api: '/api/test-notes', policy: testNotePolicy })

  it.each([
    ['development', 1],
    ['test', 0],
  ])('lists nothing, and is logged in %s %i times', async (profile, times) => {
    const lines: string[] = []
    const { guest } = await testNoteApp({
      database,
      resources: [{ repository: bare }],
      log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
      env: { NODE_ENV: profile },
    })
    await app.within(() => makeTestNote())
    for (let count = 0; count < 2; count++)
      expect((await guest.get('/api/test-notes')).json()).toMatchObject({ content: [], total_elements: 0 })
    expect(lines.filter((line) => line.includes('TestNote has no scope'))).toHaveLength(times)
  })
})

describe('the main navigation', () => {
  it('links to a list for users who can open it', async () => {
    const admin = await app.newcomer({ roles: ['admin'] })
    const pages = await Promise.all([app.guest, client, admin].map((reader) => reader.get('/nowhere')))
    expect(pages.map(({ text }) => text.includes('<a href="/users"'))).toEqual([false, false, true])
  })

  it('marks the link to the page, and the link to the list of the page', async () => {
    const admin = await app.newcomer({ roles: ['admin'] })
    for (const [path, mark] of [
      ['/', 'false'],
      ['/users', 'page'],
      [`/users/${user.id}`, 'true'],
    ])
      expect((await admin.get(path ?? '')).text).toMatch(
        new RegExp(`<a href="/users" aria-current="${mark}"><svg [^]*?</svg>\\s*Users</a>`),
      )
  })
})
