import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type Tables, withDatabase } from 'pergola'
import { spawnServer, tcpProxy } from 'pergola/lab'
import type { Kysely } from 'kysely'
import { productionServer, WITH_TEST_NOTES } from './production-server.ts'
import { DEMO_PASSWORD, makeUser, testNoteDatabase } from '../application.ts'

const eu = await testNoteDatabase()
const us = await testNoteDatabase()
const networks = { eu: await tcpProxy(eu.url), us: await tcpProxy(us.url) }

/** Users with the same id and the same address in both shards. */
const EMAIL = 'ann@example.org'
for (const { db } of [eu, us]) {
  await withDatabase(db, () => makeUser({ name: 'Ann' }))
  await sql`update users set email = ${EMAIL}`.execute(db)
}

/** The settings of both shards, whose names are the first parts of their hosts. */
const both = () => ({
  DATABASE__SHARDS: JSON.stringify([
    { name: 'eu', url: networks.eu.through(eu.url) },
    { name: 'us', url: networks.us.through(us.url) },
  ]),
  DATABASE__CONNECT_TIMEOUT_MS: '3000',
})

interface Started {
  readonly env?: Record<string, string>
  /** The hosts that must be served before the test begins: on a busy machine the server listens before. */
  readonly served?: readonly string[]
  readonly atEnd?: (end: () => void) => void
}

/** Starts a server in production with both shards. */
async function start({ env, served = Object.values(hosts), atEnd }: Started = {}) {
  const started = await productionServer('', { ...both(), ...env }, atEnd)
  for (const host of served)
    await vi.waitFor(
      async () => expect(await statusOf(`${started.url}/test-notes`, host)).not.toBe(503),
      20_000,
    )
  return started
}

interface Sent {
  readonly host: string
  readonly form?: Record<string, string>
  readonly cookies?: Map<string, string>
  readonly headers?: Record<string, string>
}

/** Sends a request as the proxy in front of the server does, and stores the cookies. */
async function send(url: string, { host, form, cookies = new Map<string, string>(), headers }: Sent) {
  const sent = request(url, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      ...headers,
      Host: host,
      Cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      ...(form && { 'Content-Type': 'application/x-www-form-urlencoded', Origin: `https://${host}` }),
    },
  })
  sent.end(form && new URLSearchParams(form).toString())
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  for (const line of response.headers['set-cookie'] ?? []) {
    const [name = '', value = ''] = line.split(';')[0]?.split(/=(.*)/s) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
  const { 'retry-after': retryAfter, location } = response.headers
  return {
    status: response.statusCode,
    retryAfter,
    location,
    body: await text(response),
  }
}

const hosts = { eu: 'eu.example.org', us: 'us.example.org' }
const statusOf = async (url: string, host: string = hosts.eu) => (await send(url, { host })).status

const signIn = (url: string, { host, cookies, password = DEMO_PASSWORD }: Sent & { password?: string }) =>
  send(`${url}/login`, { host, form: { email: EMAIL, password }, ...(cookies && { cookies }) })

const countSessions = async (db: Kysely<Tables>) =>
  (await sql<{ total: number }>`select count(*)::int as total from sessions`.execute(db)).rows[0]?.total

describe('a server with two shards', { timeout: 60_000 }, () => {
  let url: string
  beforeAll(async () => {
    let end = () => {}
    ;({ url } = await start({ atEnd: (kill) => void (end = kill) }))
    return end
  }, 60_000)

  it('signs a user in to the shard of the host, and nowhere else', async () => {
    const cookies = new Map<string, string>()
    expect(await signIn(url, { host: hosts.eu, cookies })).toMatchObject({ status: 303 })
    expect([await countSessions(eu.db), await countSessions(us.db)]).toEqual([1, 0])
    expect(await statusOf(`${url}/account`)).toBe(303)
    expect(await send(`${url}/account`, { host: hosts.eu, cookies })).toMatchObject({ status: 200 })
    expect(await send(`${url}/account`, { host: hosts.us, cookies })).toMatchObject({
      status: 303,
      location: '/login?return_to=%2Faccount',
    })
  })

  it.each(['example.org', 'asia.example.org', 'eu.us.example.org', 'eu.example.com', 'example.org.eu', 'eu'])(
    'refuses the host %s',
    async (host) => {
      expect(await statusOf(`${url}/test-notes`, host)).toBe(421)
    },
  )

  it('compares the host in lower case', async () => {
    expect(await statusOf(`${url}/test-notes`, 'EU.Example.Org')).toBe(200)
    const cookies = new Map<string, string>()
    expect(await signIn(url, { host: hosts.eu, cookies })).toMatchObject({ status: 303 })
    expect(await send(`${url}/account`, { host: 'EU.EXAMPLE.ORG', cookies })).toMatchObject({ status: 200 })
    expect(await statusOf(`${url}/test-notes`, 'eu.example.org.')).toBe(421)
  })

  it('redirects to https at the same host, and other hosts to the base URL', async () => {
    const { url } = await start({ env: { SERVER__TRUST_PROXY: '1' } })
    const redirect = (host: string) =>
      send(`${url}/test-notes`, { host, headers: { 'X-Forwarded-Proto': 'http' } })
    expect(await redirect(hosts.eu)).toMatchObject({
      status: 308,
      location: 'https://eu.example.org/test-notes',
    })
    expect(await redirect('evil.test')).toMatchObject({
      status: 308,
      location: 'https://example.org/test-notes',
    })
  })

  it('refuses a write from a page of another tenant', async () => {
    const sent = request(`${url}/login`, {
      method: 'POST',
      headers: { Host: hosts.eu, Origin: `https://${hosts.us}`, 'Sec-Fetch-Site': 'same-site' },
    })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(403)
    response.resume()
  })

  it('counts the failures of a browser that another shard knows with those of strangers', async () => {
    const { url } = await start({ env: { SERVER__TRUST_PROXY: '0' } })
    for (const { db } of [eu, us]) await sql`delete from rate_limits`.execute(db)
    const cookies = new Map<string, string>()
    await signIn(url, { host: hosts.eu, cookies })
    for (let count = 0; count < 5; count++) await signIn(url, { host: hosts.us, password: 'wrong' })
    // The browser is known in the shard where it signed in, whose account may have another owner.
    expect((await signIn(url, { host: hosts.us, cookies })).body).toContain('Too many attempts')
    for (const { db } of [eu, us]) await sql`delete from rate_limits`.execute(db)
  })
})

describe('a shard that is down', { timeout: 60_000 }, () => {
  const readiness = (url: string) => statusOf(`${url}/readyz`, 'balancer')

  it('is refused, while the other is served and the process stays ready; it returns without a restart', async () => {
    const { url } = await start()
    const notes = (host: string) => send(`${url}/test-notes`, { host })
    for (const host of Object.values(hosts)) expect(await notes(host)).toMatchObject({ status: 200 })
    networks.us.cut()
    for (let count = 0; count < 10; count++) {
      const [one, other, ready] = await Promise.all([notes(hosts.eu), notes(hosts.us), readiness(url)])
      expect([one.status, other.status, other.retryAfter, ready]).toEqual([200, 503, '1', 200])
    }
    networks.us.heal()
    await expect.poll(async () => (await notes(hosts.us)).status).toBe(200)
  })

  it('is refused when it hangs, and the other notices nothing', async () => {
    const { url } = await start()
    const notes = (host: string) => send(`${url}/test-notes`, { host })
    for (const host of Object.values(hosts)) expect((await notes(host)).status).toBe(200)
    networks.us.vanish()
    let ended = 0
    const hanging = Array.from({ length: 100 }, async () => {
      const { status, retryAfter } = await notes(hosts.us)
      ended++
      return [status, retryAfter]
    })
    try {
      for (let count = 0; count < 20; count++) expect((await notes(hosts.eu)).status).toBe(200)
      expect(await readiness(url)).toBe(200)
      expect(ended).toBeLessThan(100)
      expect(new Set((await Promise.all(hanging)).map(String))).toEqual(new Set(['503,1']))
    } finally {
      networks.us.heal()
    }
    await expect.poll(async () => (await notes(hosts.us)).status).toBe(200)
  })

  it('does not stop the start, and is served when it is up', async () => {
    networks.us.cut()
    const { url } = await start({ served: [hosts.eu] })
    expect(await statusOf(`${url}/test-notes`)).toBe(200)
    expect(await readiness(url)).toBe(200)
    expect(await send(`${url}/test-notes`, { host: hosts.us })).toMatchObject({
      status: 503,
      retryAfter: '1',
    })
    networks.us.heal()
    await expect.poll(() => statusOf(`${url}/test-notes`, hosts.us)).toBe(200)
  })

  it('does not stop the start in development either, which prints the addresses of the shards', async () => {
    networks.us.cut()
    const { url, output } = await spawnServer('app/server.ts', {
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: '0',
      SESSION__SECRET: 'one secret for all of these servers',
      SERVER__LOG_LEVEL: 'fatal',
      ACCOUNTS__DEMO: 'false',
      APP__NAME: 'Cells',
      ...both(),
      NODE_OPTIONS: WITH_TEST_NOTES,
    })
    const { port } = new URL(url)
    await expect
      .poll(output)
      .toContain(`Cells is at http://eu.localhost:${port} and http://us.localhost:${port}\n`)
    expect(await statusOf(`${url}/test-notes`, `eu.localhost:${port}`)).toBe(200)
    expect(await statusOf(`${url}/test-notes`, `us.localhost:${port}`)).toBe(503)
    networks.us.heal()
    await expect.poll(() => statusOf(`${url}/test-notes`, `us.localhost:${port}`)).toBe(200)
    expect(await statusOf(`${url}/test-notes`, `localhost:${port}`)).toBe(421)
  })

  it('makes the process unready if it is the last one', async () => {
    const { url } = await start()
    for (const network of Object.values(networks)) network.cut()
    await expect.poll(() => readiness(url)).toBe(503)
    for (const network of Object.values(networks)) network.heal()
    await expect.poll(() => readiness(url)).toBe(200)
  })
})
