import { describe, expect, it } from 'vitest'
import { type TestClient, testDatabase } from 'pergola/testing'
import { testApp } from './test-app.ts'

const database = await testDatabase()
const BEHIND_PROXY = { BASE_URL: 'https://example.org', SERVER__TRUST_PROXY: '1' }
const app = await testApp({ database, env: BEHIND_PROXY })
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
    expect(await location(app.guest, path)).toEqual([308, target])
    expect(await location(app.guest, path, 'HEAD')).toEqual([308, target])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('is refused for %s', async (method) => {
    const { status, text } = await app.guest.send(method, '/logout', overHttp)
    expect([status, text.includes('Send this request to https://example.org.')]).toEqual([403, true])
  })

  it.each(['/livez', '/readyz'])('reaches the probe %s', async (path) => {
    expect((await app.guest.get(path, overHttp)).status).toBe(200)
  })
})

describe('other requests', () => {
  it.each([{ 'x-forwarded-proto': 'https' }, {}])('are not redirected: %o', async (headers) => {
    const { status } = await app.guest.get('/livez', { headers })
    expect(status).toBe(200)
    expect((await app.guest.get('/login', { headers })).headers.has('location')).toBe(false)
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
