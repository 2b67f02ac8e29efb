import { get, type IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listRoutes } from 'pergola/manifest'
import { type TestClient } from 'pergola/testing'
import { testApp } from './test/test-app.ts'

const app = await testApp()
const { database } = app
const uncompressed = await testApp({ database, env: { SERVER__COMPRESS: 'false' } })
const BEHIND_PROXY = { BASE_URL: 'https://example.org', SERVER__TRUST_PROXY: '1' }
const behindProxy = await testApp({ database, env: BEHIND_PROXY })
const overHttp = { headers: { 'x-forwarded-proto': 'http' } }
const location = async (client: TestClient, path: string, method = 'GET') => {
  const { status, headers } = await client.send(method, path, overHttp)
  return [status, headers.get('location')]
}

describe('a request over http behind a trusted proxy', () => {
  it.each([
    ['/login?return_to=%2Faccount', 'https://example.org/login?return_to=%2Faccount'],
    ['/nowhere', 'https://example.org/nowhere'],
    ['/api/nowhere', 'https://example.org/api/nowhere'],
    ['//evil.example/', 'https://example.org//evil.example/'],
    ['/assets/0/app.css', 'https://example.org/assets/0/app.css'],
  ])('is redirected to the base URL: %s', async (path, target) => {
    expect(await location(behindProxy.guest, path)).toEqual([308, target])
    expect(await location(behindProxy.guest, path, 'HEAD')).toEqual([308, target])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('is refused for %s', async (method) => {
    const { status, text } = await behindProxy.guest.send(method, '/logout', overHttp)
    expect([status, text.includes('Send this request to https://example.org.')]).toEqual([403, true])
  })

  it.each(['/livez', '/readyz'])('reaches the probe %s', async (path) => {
    expect((await behindProxy.guest.get(path, overHttp)).status).toBe(200)
  })
})

describe('other requests', () => {
  it.each([{ 'x-forwarded-proto': 'https' }, {}])('are not redirected: %o', async (headers) => {
    const { status } = await behindProxy.guest.get('/livez', { headers })
    expect(status).toBe(200)
    expect((await behindProxy.guest.get('/login', { headers })).headers.has('location')).toBe(false)
  })

  it.each([
    { BASE_URL: 'https://example.org' },
    { BASE_URL: 'http://example.org', SERVER__TRUST_PROXY: '1' },
    { SERVER__TRUST_PROXY: '1' },
  ])('are not redirected with %o', async (env) => {
    const other = await testApp({ database, env })
    expect((await other.guest.get('/login', overHttp)).status).toBe(200)
  })
})

/** Returns the headers as sent: `fetch` would remove those of a compressed body. */
function headersOf(url: string): Promise<IncomingHttpHeaders> {
  const headers = { 'accept-encoding': 'gzip, br' }
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => resolve(response.resume().headers)).on('error', reject)
  })
}

async function paths(): Promise<string[]> {
  const { text } = await app.guest.get('/login')
  const [asset = ''] = /\/assets\/[0-9a-f]+\/app\.css/.exec(text) ?? []
  return ['/login', '/none', asset]
}

describe('server.compress', () => {
  it('compresses pages, errors and assets', async () => {
    for (const path of await paths()) {
      const { 'content-encoding': coding, vary } = await headersOf(app.url + path)
      expect([path, coding, vary]).toEqual([path, 'br', expect.stringContaining('Accept-Encoding')])
    }
  })

  it('compresses nothing if it is false, and names no Accept-Encoding in Vary', async () => {
    for (const path of await paths()) {
      const { 'content-encoding': coding, vary = '' } = await headersOf(uncompressed.url + path)
      expect([path, coding, vary]).toEqual([path, undefined, expect.not.stringContaining('Accept-Encoding')])
    }
  })
})

describe('pages', () => {
  // The length of a compressed page reveals parts of its content (BREACH).
  it('contain no cookie and no digest of a session', async () => {
    const admin = await app.newcomer({ roles: ['admin'] })
    const sessions = await app.db.selectFrom('sessions').select('token_digest').execute()
    const secrets = [...admin.cookies.values(), ...sessions.map((row) => row.token_digest)]
    expect(secrets.length).toBeGreaterThan(1)
    const pages = listRoutes(app.routes).filter(({ method, path }) => method === 'GET' && !path.includes(':'))
    for (const { path } of pages) {
      const { text } = await admin.get(path)
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  })
})
