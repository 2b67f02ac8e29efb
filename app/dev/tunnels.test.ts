import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'

const CODESPACE = 'name-3000.app.github.dev'
const forwarded = { 'x-forwarded-host': CODESPACE, 'x-forwarded-proto': 'https' }
const local = 'localhost:3000'

const development = await testApp({
  env: { NODE_ENV: 'development', BASE_URL: 'https://pergola.tunnel.test' },
})
const database = await testDatabase()
const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://example.org',
  MAIL__URL: 'smtp://127.0.0.1:1',
  MAIL__FROM: 'no-reply@example.org',
  DATABASE_URL: database.url,
}
const others = [await testApp({ database }), await testApp({ database, env: production })]

/** Posts a form, or signs out without one. Returns the status. */
async function post(url: string, headers: Record<string, string>, form = ''): Promise<number | undefined> {
  const body = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = request(`${url}/${form === '' ? 'logout' : 'signup'}`, {
    method: 'POST',
    headers: { ...body, ...headers },
  })
  sent.end(form)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

describe('a write through the proxy of a codespace or a tunnel', () => {
  const accepted = [
    { host: local, origin: `https://${local}` },
    { host: local, origin: `https://${local}`, ...forwarded, 'sec-fetch-site': 'same-origin' },
    { host: local, origin: `https://${CODESPACE}`, ...forwarded },
    { host: CODESPACE, origin: `https://${CODESPACE}` },
    { host: 'abc-3000.euw.devtunnels.ms', origin: 'https://abc-3000.euw.devtunnels.ms' },
    { host: 'pergola.tunnel.test', origin: 'https://pergola.tunnel.test' },
  ]

  it.each(accepted)('is accepted in development: %o', async (headers) => {
    expect(await post(development.url, headers)).toBe(303)
  })

  it.each(accepted)('is refused in other profiles: %o', async (headers) => {
    for (const { url } of others) expect([403, 421]).toContain(await post(url, headers))
  })

  it.each([
    [{ host: 'evil.test', origin: 'http://evil.test' }, 421],
    [{ host: 'evil.test', 'x-forwarded-host': local }, 421],
    [{ host: 'app.github.dev.evil.test' }, 421],
    [{ host: 'rebound.devtunnels.ms:3000' }, 421],
    [{ host: local, origin: 'https://evil.test', 'x-forwarded-host': 'evil.test' }, 403],
    [{ host: local, origin: 'https://other-3000.app.github.dev', ...forwarded }, 403],
    [{ host: local, origin: `https://${local}`, ...forwarded, 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: local, origin: 'http://localhost:4000' }, 403],
    [{ host: local, origin: 'null' }, 403],
  ])('is refused in development for another site: %o → %i', async (headers, status) => {
    expect(await post(development.url, headers)).toBe(status)
  })
})

describe('a link in a mail', () => {
  const BASE_URL = 'https://pergola.tunnel.test'
  it.each<[string, Record<string, string>, Record<string, string>]>([
    [`https://${CODESPACE}`, {}, { host: local, ...forwarded }],
    [BASE_URL, { BASE_URL }, { host: 'pergola.tunnel.test' }],
    [`http://${local}`, { BASE_URL }, { host: local, 'x-forwarded-host': 'evil.test' }],
    // Then each host is an own one.
    [`http://${local}`, { HOST: '0.0.0.0' }, { host: local }],
    [`http://${local}`, { HOST: '0.0.0.0' }, { host: local, 'x-forwarded-host': 'evil.test' }],
  ])('begins with %s in development: %o, %o', async (address, env, headers) => {
    const app = await testApp({ env: { NODE_ENV: 'development', ...env } })
    expect(await post(app.url, headers, 'email=carol%40example.test')).toBe(303)
    expect(await app.mails()).toMatchObject([
      { data: { link: expect.stringContaining(`${address}/signup/confirm?token=`) as string } },
    ])
  })
})
