import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anyFreePort } from '../port.ts'
import { Front } from './front.ts'

async function serverOf(handler: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<number> {
  const server = createServer((req, res) => void handler(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function openFront(options: { port?: number; orNext?: boolean } = {}): Promise<Front> {
  const front = await Front.open({ host: '127.0.0.1', port: 0, ...options })
  onTestFinished(() => front.close())
  return front
}

/** Sends a request. `text` is the body of the response. */
async function exchange({ port }: { port: number }, { method = 'GET', headers = [] as string[] } = {}) {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    headers: ['Host', 'localhost:3000', ...headers],
  })
  outgoing.end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { incoming, text: Buffer.concat(await incoming.toArray()).toString() }
}

describe('Front.open', () => {
  it('opens four ports at the same moment', async () => {
    const port = await anyFreePort()
    const fronts = await Promise.all([1, 2, 3, 4].map(() => openFront({ port, orNext: true })))
    expect(new Set(fronts.map((front) => front.port)).size).toBe(4)
  })

  it('rejects if the port is in use', async () => {
    const { port } = await openFront()
    await expect(openFront({ port })).rejects.toThrow('EADDRINUSE')
  })
})

describe('Front', () => {
  it('delays requests until the server listens again, or has crashed', async () => {
    const front = await openFront()
    const first = exchange(front)
    front.forwardTo(await serverOf((_req, res) => res.end('one')))
    expect((await first).text).toBe('one')
    front.hold('app/a.ts changed')
    const second = exchange(front)
    front.forwardTo(await serverOf((_req, res) => res.end('two')))
    expect((await second).text).toBe('two')
    front.hold('app/a.ts changed')
    const third = exchange(front)
    front.showCrash({ code: 1, signal: null, uptime: 1, errors: 'broken' })
    expect((await third).text).toContain('broken')
  })

  it('forwards requests and responses unchanged', async () => {
    const front = await openFront()
    const headers = ['Host', 'localhost:3000', 'X-Twice', '1', 'X-Twice', '2', 'Content-Length', '4']
    const bytes = Buffer.from([0, 255, 13, 10])
    const seen = Promise.withResolvers<{
      method?: string
      url?: string
      rawHeaders: string[]
      body: string
    }>()
    front.forwardTo(
      await serverOf(async (req, res) => {
        const { method = '', url = '', rawHeaders } = req
        seen.resolve({ method, url, rawHeaders, body: Buffer.concat(await req.toArray()).toString() })
        res.writeHead(422, [
          'Set-Cookie',
          'a=1',
          'Set-Cookie',
          'b=2',
          'Content-Encoding',
          'x',
          'Date',
          'then',
        ])
        res.end(bytes)
      }),
    )
    const outgoing = request({
      host: '127.0.0.1',
      port: front.port,
      method: 'PUT',
      path: '/posts/1?q=%20b&q=',
      headers,
    })
    outgoing.end('body')
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(Buffer.concat(await incoming.toArray())).toEqual(bytes)
    expect(incoming.statusCode).toBe(422)
    expect(incoming.headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      'content-encoding': 'x',
      date: 'then',
      connection: 'keep-alive',
    })
    const { rawHeaders, ...rest } = await seen.promise
    expect(rest).toEqual({ method: 'PUT', url: '/posts/1?q=%20b&q=', body: 'body' })
    expect(rawHeaders).toEqual([...headers, 'Connection', 'close'])
  })

  it.each(['/', '/_dev/types'])('shows errors at %s only to hosts of this machine', async (path) => {
    const front = await openFront()
    front.showCrash({ code: 1, signal: null, uptime: 1, errors: 'broken' })
    front.pages.showErrors(['app/a.ts(1,1): error TS1: broken'])
    for (const [host, isShown] of [
      ['localhost:3000', true],
      ['192.168.0.7', true],
      ['[::1]:3000', true],
      ['evil.example', false],
    ] as const) {
      const outgoing = request({
        host: '127.0.0.1',
        port: front.port,
        path,
        headers: ['Host', host],
        setHost: false,
      })
      outgoing.end()
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      expect(
        Buffer.concat(await incoming.toArray())
          .toString()
          .includes('broken'),
      ).toBe(isShown)
    }
  })

  it('forwards each piece of a response at once, and the end of the client', async () => {
    const front = await openFront()
    const closed = Promise.withResolvers<void>()
    front.forwardTo(
      await serverOf((_req, res) => {
        res.write('first')
        res.on('close', () => closed.resolve())
      }),
    )
    const outgoing = request({ host: '127.0.0.1', port: front.port })
    outgoing.end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    incoming.on('error', () => undefined)
    const [piece] = (await once(incoming, 'data')) as [Buffer]
    expect(piece.toString()).toBe('first')
    outgoing.destroy()
    await closed.promise
  })

  it.each([
    ['GET', 'two'],
    ['POST', 'may have carried it out'],
  ])('repeats a %s request only if it changes nothing, when the server ends', async (method, expected) => {
    const front = await openFront()
    const ending = createTcpServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(ending, 'listening')
    front.forwardTo((ending.address() as AddressInfo).port)
    const answer = exchange(front, { method })
    await once(ending, 'connection')
    ending.close()
    front.forwardTo(await serverOf((_req, res) => res.end('two')))
    expect((await answer).text).toContain(expected)
  })
})
