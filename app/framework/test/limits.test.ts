import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Handler, inTransaction, limit, type Limit, publicRoute, routes } from 'pergola'
import { rateLimiter } from 'pergola/accounts'
import { guardInWords, listRoutes, routeFacts } from 'pergola/manifest'
import { clearRateLimits, TestClient, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'

const database = await testDatabase()
const { db, statements } = database

const send: Handler = (_req, res) => void res.send('sent')
const limited = (options: Limit) =>
  routes('/limited', {
    'GET /': [publicRoute(), limit(options), send],
    'POST /': [publicRoute(), limit(options), send],
    'GET /unlimited': [publicRoute(), send],
  })
const limitedApi = routes('/api/limited', {
  'POST /': [publicRoute(), limit({ per: 'network', requests: 1, seconds: 60 }), send],
})

const busy = () =>
  routes('/busy', {
    'POST /': [publicRoute(), limit({ per: 'network', requests: 48, seconds: 60 }), send],
  })

const events: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void events.push(JSON.parse(line)) })
const denials = () => events.filter(({ event }) => event === 'denied')

const perNetwork = { per: 'network', requests: 3, seconds: 60 } as const
const app = await testApp({ database, log, trustProxy: 1, tables: [limited(perNetwork), limitedApi, busy()] })
// Another process has counters of its own in memory, but the same table.
const elsewhere = await testApp({ database, trustProxy: 1, tables: [limited(perNetwork), busy()] })
const perUser = await testApp({ database, tables: [limited({ per: 'user', requests: 2, seconds: 60 })] })
const rates = { writes: { requests: 4, seconds: 60 }, searches: { requests: 2, seconds: 60 } }
const withDefaults = await testApp({
  database,
  limits: rates,
  tables: [
    routes('/own', { 'POST /': [publicRoute(), limit({ per: 'user', requests: 6, seconds: 60 }), send] }),
  ],
})

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const statuses = async (count: number, request: () => Promise<{ status: number }>) => {
  const answers: number[] = []
  for (let sent = 0; sent < count; sent++) answers.push((await request()).status)
  return answers
}

beforeEach(async () => {
  await clearRateLimits(db)
  events.length = 0
})

describe('limit', () => {
  it('refuses further requests with 429 and Retry-After', async () => {
    expect(await statuses(3, () => app.guest.get('/limited'))).toEqual([200, 200, 200])
    const { status, headers, text } = await app.guest.get('/limited')
    expect([status, text.includes('Too many requests')]).toEqual([429, true])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  it('counts each route by itself, and HEAD with GET', async () => {
    await statuses(3, () => app.guest.head('/limited'))
    expect((await app.guest.get('/limited')).status).toBe(429)
    expect((await app.guest.post('/limited')).status).toBe(200)
  })

  it('answers htmx with the error page, and the API with JSON', async () => {
    await statuses(3, () => app.guest.get('/limited'))
    const page = await app.guest.get('/limited', {
      headers: { 'hx-request': 'true', 'hx-target': 'div#list', 'hx-request-type': 'partial' },
    })
    expect(page.status).toBe(429)
    expect(page.text).toContain('Too many requests')
    await app.guest.post('/api/limited')
    const problem = await app.guest.post('/api/limited')
    expect([problem.status, problem.json()]).toMatchObject([429, { status: 429, code: 'too_many_requests' }])
    expect(problem.headers.has('retry-after')).toBe(true)
  })

  it('counts the requests of all processes together', async () => {
    await statuses(2, () => app.guest.get('/limited'))
    expect(await statuses(2, () => elsewhere.guest.get('/limited'))).toEqual([200, 429])
    expect((await app.guest.get('/limited')).status).toBe(429)
  })

  it('reports the first refused request of a process, although another one counted its position ahead', async () => {
    const post = (one: typeof app) => () => one.guest.post('/busy')
    expect(await statuses(2, post(elsewhere))).toEqual([200, 200])
    await statuses(38, post(app))
    // This one knows of six counted requests only, so it counts 45 to 49 at once.
    await statuses(5, post(elsewhere))
    expect(denials()).toEqual([])
    expect(await statuses(2, post(app))).toEqual([429, 429])
    expect(denials()).toMatchObject([{ cause: 'rate_limit' }])
  })

  it('counts a busy caller ahead, and never allows more than the rate', async () => {
    statements.length = 0
    const answers: number[] = []
    for (let sent = 0; sent < 30; sent++)
      for (const { guest } of [app, elsewhere]) answers.push((await guest.post('/busy')).status)
    const allowed = answers.filter((status) => status === 200).length
    // Each process counts up to four ahead in the first half of the rate.
    expect(allowed).toBeGreaterThanOrEqual(44)
    expect(allowed).toBeLessThanOrEqual(48)
    expect(answers.slice(-8)).toEqual(Array(8).fill(429))
    expect(statements.length).toBeLessThan(36)
  })

  it('counts concurrent requests once each', async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => app.guest.get('/limited')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  })

  it('counts an IPv6 network as one client, by the address that the proxy reports', async () => {
    const request = (address: string) => app.guest.get('/limited', from(address))
    await request('2001:db8::1')
    await request('2001:db8::2')
    await request('203.0.113.9, 2001:db8::3')
    expect((await request('2001:db8:0:0:ffff::4')).status).toBe(429)
    expect((await request('2001:db8:0:1::1')).status).toBe(200)
  })

  it('counts users by their id, and guests by network', async () => {
    const [alice, bob] = [await perUser.newcomer(), await perUser.newcomer()]
    const again = await perUser.signInAs(alice.user.email)
    await alice.get('/limited')
    await again.get('/limited')
    expect((await alice.get('/limited')).status).toBe(429)
    expect((await bob.get('/limited')).status).toBe(200)
    expect(await statuses(3, () => perUser.guest.get('/limited'))).toEqual([200, 200, 429])
  })

  it('sends one statement per request, and none once the caller is blocked', async () => {
    statements.length = 0
    await app.guest.get('/limited')
    expect(statements).toHaveLength(1)
    await statuses(3, () => app.guest.get('/limited'))
    statements.length = 0
    expect(await statuses(20, () => app.guest.get('/limited'))).toEqual(Array(20).fill(429))
    expect(statements).toEqual([])
  })

  it('leaves the lookup of the session to a blocked user', async () => {
    const alice = await perUser.newcomer()
    await statuses(3, () => alice.get('/limited'))
    statements.length = 0
    expect(await statuses(5, () => alice.get('/limited'))).toEqual(Array(5).fill(429))
    expect(statements).toHaveLength(5)
    expect(statements.every((sql) => sql.includes('from "sessions"'))).toBe(true)
  })

  it('reports the first refused request only', async () => {
    await statuses(3, () => app.guest.get('/limited'))
    expect(denials()).toEqual([])
    await statuses(5, () => app.guest.get('/limited'))
    expect(denials()).toMatchObject([
      { cause: 'rate_limit', action: 'access', reason: 'GET /limited', actor: null, resource: null },
    ])
  })

  it('allows requests again when the window has ended', async () => {
    await statuses(4, () => app.guest.get('/limited'))
    await db
      .updateTable('rate_limits')
      .set({ expire: String(Date.now() - 1) })
      .execute()
    expect((await elsewhere.guest.get('/limited')).status).toBe(200)
  })

  it('refuses the request with 503 if it can’t be counted', async () => {
    await db.schema.alterTable('rate_limits').renameTo('rate_limits_gone').execute()
    const { status } = await app.guest.get('/limited')
    await db.schema.alterTable('rate_limits_gone').renameTo('rate_limits').execute()
    expect(status).toBe(503)
  })

  it('can’t be replaced by a guard of the application with its kind', async () => {
    const tables = [routes('/x', { 'GET /': [publicRoute(), { kind: 'limit', run: () => {} }, send] })]
    await expect(testApp({ database, tables })).rejects.toThrow("'limit', which is reserved for limit()")
  })

  it.each([
    { requests: 0, seconds: 60 },
    { requests: 1.5, seconds: 60 },
    { requests: 1, seconds: 0 },
  ])('throws for %j', (rate) => {
    expect(() => limit({ per: 'user', ...rate })).toThrow('Use whole numbers from 1.')
    expect(() => rateLimiter('x', rate)).toThrow('Use whole numbers from 1.')
  })
})

describe('the default limits', () => {
  it('count all writes of a user together', async () => {
    const [alice, bob] = [await withDefaults.newcomer(), await withDefaults.newcomer()]
    await clearRateLimits(db)
    expect(await statuses(3, () => alice.post('/notes', { form: { title: '' } }))).toEqual([422, 422, 422])
    expect((await alice.post('/api/notes', { json: {} })).status).toBe(422)
    expect((await alice.post('/notes', { form: { title: '' } })).status).toBe(429)
    expect((await alice.post('/api/notes', { json: {} })).status).toBe(429)
    expect((await bob.post('/notes', { form: { title: '' } })).status).toBe(422)
  })

  it('count writes of guests by network', async () => {
    const guest = () => new TestClient(withDefaults.url)
    await statuses(4, () => guest().post('/logout'))
    expect((await guest().post('/login', { form: { email: 'x' } })).status).toBe(429)
  })

  it('count searches, and no other reads', async () => {
    expect(await statuses(3, () => withDefaults.guest.get('/notes?q=x'))).toEqual([200, 200, 429])
    expect((await withDefaults.guest.get('/api/notes?q=x')).status).toBe(429)
    expect(await statuses(3, () => withDefaults.guest.get('/notes?q='))).toEqual([200, 200, 200])
  })

  it('send no statement for other reads', async () => {
    const count = async (client: TestClient) => {
      statements.length = 0
      await client.get('/notes')
      return statements.length
    }
    expect(await count(withDefaults.guest)).toBe(await count(app.guest))
  })

  it('don’t apply to a route with a limit of its own', async () => {
    expect(await statuses(7, () => withDefaults.guest.post('/own'))).toEqual([...Array(6).fill(200), 429])
    expect((await withDefaults.guest.post('/logout')).status).toBe(303)
  })
})

describe('the manifest', () => {
  it('lists a limit among the guards of its route, and describes it', () => {
    const guard = limit({ per: 'network', requests: 5, seconds: 3_600 })
    const [route] = listRoutes([routes('/x', { 'POST /': [publicRoute(), guard, send] })])
    expect(routeFacts(route!).guards).toEqual(['public', 'limit 5 in 3600s per network'])
    expect(guardInWords(guard)).toBe('allows each network 5 requests in 3600 seconds')
  })
})

describe('rateLimiter', () => {
  it('counts outside of an open transaction, whose rollback undoes nothing', async () => {
    const limiter = rateLimiter('in a transaction', { requests: 1, seconds: 60 })
    const rollBack = () =>
      inTransaction(async () => {
        await limiter.count('key')
        throw new Error('rolled back')
      })
    await expect(app.within(rollBack)).rejects.toThrow('rolled back')
    await expect(app.within(() => limiter.count('key'))).rejects.toMatchObject({ status: 429 })
  })

  it('takes back a request, and forgets a key', async () => {
    const limiter = rateLimiter('test', { requests: 1, seconds: 60 })
    await app.within(async () => {
      await limiter.count('a')
      await limiter.forgive('a')
      await limiter.count('a')
      await expect(limiter.count('a')).rejects.toMatchObject({ status: 429 })
      await limiter.reset('a')
      await limiter.count('a')
      await limiter.count('b')
    })
  })
})
