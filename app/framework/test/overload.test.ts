import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter, once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import express, { type Express } from 'express'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { health, listen, portOf, securityHeaders } from 'pergola/app'
import { admission } from '../src/http/overload/admission.ts'
import { Places } from '../src/http/overload/places.ts'
import { httpSettings, useHttp } from '../src/http/settings.ts'
import { errorPage } from '../src/http/views/error-page.ts'
import { drain } from '../src/http/server/serve.ts'

/** The places don't grow in these tests. */
const PLACES = 12
const NEVER = 1_000_000

interface Sent {
  readonly sent: ClientRequest
  readonly answer: Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>
}

const SETTINGS = { https: true, development: false, secret: 'a secret for tests that is long enough' }

const httpOf = (app: Express) =>
  useHttp(app, {
    ...SETTINGS,
    name: 'Overload',
    views: join(import.meta.dirname, 'fixtures/views'),
    signInPath: '/login',
    passwordPaths: ['/signup'],
    apiPrefix: '/api',
    viewer: () => Promise.resolve(null),
    assetUrl: (name) => name,
    nav: [],
  })

/** Starts a server whose handler of /hold responds when the test lets it. */
async function start(patience = 1) {
  const app = express().disable('etag')
  const held: ServerResponse[] = []
  const streams: ServerResponse[] = []
  const arrivals = new EventEmitter()
  const lines: { refused?: number }[] = []
  httpOf(app)
  app.use(securityHeaders(SETTINGS))
  app.use(health(() => Promise.resolve(true)))
  app.get('/assets/:fingerprint/:name', (_req, res) => void res.send('asset'))
  app.all(['/hold', '/login', '/signup'], (_req, res) => {
    held.push(res)
    arrivals.emit('arrival')
  })
  app.get('/quick', (_req, res) => void res.send('quick'))
  app.post('/body', (req, res, next) => {
    const hold = () => {
      held.push(res)
      arrivals.emit('arrival')
    }
    text(req).then(hold, next)
  })
  app.get('/error', () => {
    throw new Error('broken')
  })
  app.get('/stream', (_req, res) => {
    streams.push(res)
    res.write('begun')
  })
  app.get('/context', (_req, res) => void res.send(String(context.getStore())))
  app.use(errorPage(() => null))
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as object) })
  const options = { settings: httpSettings(app), log, places: new Places(PLACES), patience }
  const server = createServer(admission(app, options))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const send = (
    path: string,
    options: { method?: string; headers?: OutgoingHttpHeaders; agent?: Agent } = {},
  ) => sendTo(server, path, options)
  const arrived = async (count: number) => {
    while (held.length < count) await once(arrivals, 'arrival')
  }
  const connections = () => promisify(server.getConnections.bind(server))()
  return { server, held, streams, lines, send, arrived, connections }
}

const context = new AsyncLocalStorage<string>()

function sendTo(
  server: Server,
  path: string,
  { method = 'GET', headers = {}, agent }: { method?: string; headers?: OutgoingHttpHeaders; agent?: Agent },
): Sent {
  const sent = request({
    host: '127.0.0.1',
    port: portOf(server),
    path,
    method,
    headers,
    agent: agent ?? false,
  })
  const answer = once(sent, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response?.statusCode ?? 0,
    headers: response?.headers ?? {},
    body: response === undefined ? '' : await text(response),
  }))
  answer.catch(() => {})
  if (method === 'GET') sent.end()
  return { sent, answer }
}

type Started = Awaited<ReturnType<typeof start>>

/** Takes all places. */
async function saturate({ send, arrived, held }: Started): Promise<void> {
  for (let count = held.length; count < PLACES; count++) send('/hold')
  await arrived(PLACES)
}

/** Returns how many requests get a place at once: `PLACES`, or more if one was freed twice. */
async function freePlaces({ send, arrived, held }: Started): Promise<number> {
  held.length = 0
  const holding = Array.from({ length: PLACES }, () => send('/hold'))
  await arrived(PLACES)
  await Promise.race([send('/hold').answer, arrived(PLACES + 1)])
  const count = held.length
  for (const res of held) res.end()
  await Promise.all(holding.map((one) => one.answer))
  return count
}

describe('a saturated server', () => {
  it.each([
    ['/quick', { accept: 'text/html,application/json;q=0.9' }, 'text/html', /^<!doctype html>.*<h1>/s],
    ['/quick', { 'hx-request': 'true' }, 'text/html', /^<p [^>]*role="alert">[^<]+<\/p>\n$/],
    ['/quick', { accept: 'application/json' }, 'application/problem+json', /"code":"unavailable"}$/],
    ['/api/a?b=c', {}, 'application/problem+json', /"code":"unavailable"}$/],
  ])('refuses %s %o with a 503, Retry-After and the security headers', async (path, headers, type, body) => {
    const started = await start()
    const normal = await started.send('/livez').answer
    await saturate(started)
    const refused = await started.send(path, { headers }).answer
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(refused.headers['content-type']).toBe(`${type}; charset=utf-8`)
    expect(refused.body).toMatch(body)
    expect(refused.headers['set-cookie']).toBeUndefined()
    expect(normal.headers).toMatchObject({
      'content-security-policy': expect.any(String),
      'strict-transport-security': expect.any(String),
    })
    const changing = { 'content-type': '', 'content-length': '', date: '' }
    expect({ ...refused.headers, ...changing }).toMatchObject({ ...normal.headers, ...changing })
  })

  it('answers probes, assets and sign-in, and requests with a session cookie from their reserve', async () => {
    const started = await start()
    await saturate(started)
    for (const path of ['/livez', '/readyz', '/assets/0123456789abcdef/app.css'])
      expect([path, (await started.send(path).answer).status]).toEqual([path, 200])
    for (const path of ['/assets/missing', '/assets/0123456789abcdef/%ff', '/assets/../quick'])
      expect([path, (await started.send(path).answer).status]).toEqual([path, 503])
    const post = started.send('/livez', { method: 'POST' })
    post.sent.end()
    expect((await post.answer).status).toBe(503)
    for (const [index, method] of ['GET', 'POST'].entries()) {
      const login = started.send('/login?return_to=/', { method })
      login.sent.end()
      await started.arrived(PLACES + index + 1)
      started.held.at(-1)?.end('signed in')
      expect((await login.answer).body).toBe('signed in')
    }
    const cookie = { headers: { cookie: 'a=b; __Host-sid=sealed' } }
    expect((await started.send('/quick', cookie).answer).status).toBe(200)
    for (let count = 1; count <= 4; count++) started.send('/hold', cookie)
    await started.arrived(PLACES + 2 + 4)
    expect((await started.send('/quick', cookie).answer).status).toBe(503)
  })

  it('logs one line per second', async () => {
    const started = await start()
    await saturate(started)
    await Promise.all(Array.from({ length: 30 }, () => started.send('/quick').answer))
    await vi.waitUntil(() => started.lines.length > 0, { timeout: 5_000 })
    expect(started.lines).toMatchObject([{ refused: 30, limit: PLACES }])
  })

  it('closes refused connections while it shuts down', async () => {
    const started = await start()
    const socket = connect(portOf(started.server), '127.0.0.1')
    socket.write('GET /hold HTTP/1.1\r\nHost: a\r\n\r\n')
    await started.arrived(1)
    await saturate(started)
    const drained = drain(started.server, 5_000)
    socket.write('GET /quick HTTP/1.1\r\nHost: a\r\n\r\n')
    const [, refused] = (await once(started.server, 'request')) as [IncomingMessage, ServerResponse]
    await vi.waitUntil(() => refused.writableEnded)
    for (const res of started.held) res.end()
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200.*HTTP\/1.1 503.*Connection: close/s)
    await drained
  })
})

describe('a flood of requests with a password', () => {
  it.each(['/login', '/login/?a=b', '/signup', '/signup/?a=b'])(
    'at %s takes four places, and none of other requests',
    async (path) => {
      const { send, arrived, held } = await start()
      for (let count = 0; count < 20; count++) send(path, { method: 'POST' }).sent.end()
      await arrived(4)
      expect((await send('/quick').answer).status).toBe(200)
      for (let count = 0; count < PLACES; count++) send('/hold')
      await arrived(4 + PLACES)
      expect(held).toHaveLength(4 + PLACES)
    },
  )

  it.each(['/login', '/signup'])('leaves %s, the page with the form, the places of pages', async (path) => {
    const { send, arrived, held } = await start()
    for (let count = 0; count < 20; count++) send('/login', { method: 'POST' }).sent.end()
    await arrived(4)
    const form = send(path)
    await arrived(5)
    held.at(-1)?.end('form')
    expect((await form.answer).body).toBe('form')
  })
})

describe('a queued request', () => {
  it('is handled when a place is free, in an async context of its own', async () => {
    const { send, arrived, held, connections } = await start(NEVER)
    for (let count = 1; count < PLACES; count++) send('/hold')
    await arrived(PLACES - 1)
    const last = send('/hold')
    await arrived(PLACES)
    const [queued, behind] = [send('/context'), send('/quick')]
    await vi.waitUntil(async () => (await connections()) === PLACES + 2)
    // The response ends in the context of its request.
    context.run('another request', () => held[PLACES - 1]?.end())
    expect((await last.answer).status).toBe(200)
    expect((await queued.answer).body).toBe('undefined')
    expect((await behind.answer).body).toBe('quick')
  })

  it('is refused after its patience', async () => {
    const { send, arrived, held } = await start()
    for (let count = 0; count < PLACES; count++) send('/hold')
    await arrived(PLACES)
    expect((await send('/hold').answer).status).toBe(503)
    expect(held).toHaveLength(PLACES)
  })

  it('is never handled if its client leaves', async () => {
    const { send, arrived, held, connections } = await start(NEVER)
    for (let count = 0; count < PLACES; count++) send('/hold')
    await arrived(PLACES)
    const [leaver, next] = [send('/hold'), send('/quick')]
    await vi.waitUntil(async () => (await connections()) === PLACES + 2)
    leaver.sent.destroy()
    await vi.waitUntil(async () => (await connections()) === PLACES + 1)
    held[0]?.end()
    expect((await next.answer).body).toBe('quick')
    expect(held).toHaveLength(PLACES)
  })
})

describe('the place of a request', () => {
  it('is free once after a response, an error, and a missing page', async () => {
    const started = await start()
    for (const path of ['/quick', '/error', '/missing']) {
      for (let count = 0; count < PLACES + 1; count++) await started.send(path).answer
    }
    expect(await freePlaces(started)).toBe(PLACES)
  })

  it('is free when the application ends the response after its client left', async () => {
    const started = await start()
    const left = Array.from({ length: PLACES }, () => started.send('/hold'))
    await started.arrived(PLACES)
    for (const { sent } of left) sent.destroy()
    await Promise.allSettled(left.map(({ answer }) => answer))
    for (const res of started.held) res.end()
    expect(await freePlaces(started)).toBe(PLACES)
  })

  it('is free a second after its client left, if the application never ends the response', async () => {
    const started = await start()
    const left = Array.from({ length: PLACES }, () => started.send('/hold'))
    await started.arrived(PLACES)
    for (const { sent } of left) sent.destroy()
    while ((await started.send('/quick').answer).status === 503);
    for (const res of started.held) res.end()
    expect(await freePlaces(started)).toBe(PLACES)
  })

  it('is free once while the response streams', async () => {
    const started = await start()
    const streaming = Array.from({ length: PLACES }, () => started.send('/stream'))
    await Promise.all(streaming.map(({ sent }) => once(sent, 'response')))
    for (let count = 0; count < PLACES; count++) started.send('/hold')
    await started.arrived(PLACES)
    for (const res of [...started.streams, ...started.held]) res.end()
    expect(await freePlaces(started)).toBe(PLACES)
  })

  it('is free while the body arrives, and taken when it is complete', async () => {
    const started = await start(200)
    const incomplete = { method: 'POST', headers: { 'content-length': 2 } }
    const slow = Array.from({ length: PLACES }, () => started.send('/body', incomplete))
    for (const { sent } of slow) sent.write('a')
    for (let count = 0; count < 20; count++) expect((await started.send('/quick').answer).status).toBe(200)
    for (const { sent } of slow) sent.end('b')
    await started.arrived(PLACES)
    await vi.waitUntil(async () => (await started.send('/quick').answer).status === 503, { timeout: 5_000 })
    for (const res of started.held) res.end()
    expect(await freePlaces(started)).toBe(PLACES)
  })

  it('is taken while the application ignores an incomplete body', async () => {
    const started = await start()
    const incomplete = { method: 'POST', headers: { 'content-length': 2 } }
    for (let count = 0; count < PLACES; count++) started.send('/hold', incomplete).sent.write('a')
    await started.arrived(PLACES)
    expect((await started.send('/quick').answer).status).toBe(503)
  })

  it('is free after a request to upgrade that the application ignores', async () => {
    const started = await start()
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    for (let count = 0; count < PLACES + 1; count++)
      expect((await started.send('/quick', { headers }).answer).status).toBe(200)
    expect(await freePlaces(started)).toBe(PLACES)
  })

  it('is free when pipelined requests are answered, and when their connection breaks', async () => {
    const started = await start()
    const socket = connect(portOf(started.server), '127.0.0.1')
    socket.write('GET /hold HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(PLACES))
    await started.arrived(PLACES)
    for (const res of started.held.splice(0)) res.end()
    await vi.waitUntil(() => socket.bytesRead > 0)
    socket.write('GET /hold HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(PLACES))
    await started.arrived(PLACES)
    socket.destroy()
    for (const res of started.held.splice(0)) res.end()
    expect(await freePlaces(started)).toBe(PLACES)
  })
})

describe('a refused POST', () => {
  const refusedPost = async (headers: OutgoingHttpHeaders, body: string) => {
    const started = await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await saturate(started)
    const post = started.send('/hold', { method: 'POST', agent, headers })
    post.sent.end(body)
    const answer = await post.answer
    return { started, agent, answer, socket: post.sent.socket }
  }

  it('with a short body leaves the connection usable', async () => {
    const { started, agent, answer, socket } = await refusedPost(
      { 'content-length': '60000' },
      'x'.repeat(60_000),
    )
    expect([answer.status, answer.headers.connection]).toEqual([503, 'keep-alive'])
    const next = started.send('/livez', { agent })
    expect((await next.answer).body).toBe('ok')
    expect(next.sent.socket).toBe(socket)
  })

  it('with a long or chunked body closes the connection', async () => {
    for (const headers of [{ 'content-length': '70000' }, { 'transfer-encoding': 'chunked' }] as const) {
      const { answer } = await refusedPost(headers, 'x'.repeat(70_000))
      expect([answer.status, answer.headers.connection]).toEqual([503, 'close'])
    }
  })
})

describe('a server of listen', () => {
  it('answers or refuses each of 1,000 clients at once', async () => {
    const app = express()
    httpOf(app)
    const held: ServerResponse[] = []
    app.get('/hold', (_req, res) => void held.push(res))
    const server = await listen(app, { host: '127.0.0.1', port: 0, behindProxy: false })
    onTestFinished(() => void server.close())
    const answers = Array.from({ length: 1_000 }, () => sendTo(server, '/hold', {}).answer)
    const settled = Promise.allSettled(answers)
    // The server refuses requests because none of the first ones is answered.
    expect((await Promise.race(answers)).status).toBe(503)
    const serve = setInterval(() => {
      for (const res of held.splice(0)) res.end()
    }, 5)
    await settled
    clearInterval(serve)
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
  })
})
