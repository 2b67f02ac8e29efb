import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen, portOf } from 'pergola/app'

/** The connections of one client that may send a probe beyond the limit. */
const PROBES = 10

const PAGE = 'GET /page HTTP/1.1\r\nHost: example.org\r\n\r\n'
const PROBE = 'GET /livez HTTP/1.1\r\nHost: example.org\r\n\r\n'

interface Line {
  msg: string
  refused: number
  limit: number
  address?: string
}

async function start(options: { behindProxy?: boolean; logCallers?: boolean } = {}) {
  const lines: Line[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) })
  const server = await listen((_req, res) => res.end('served'), {
    host: '127.0.0.1',
    port: 0,
    behindProxy: false,
    connectionsPerClient: 3,
    log,
    ...options,
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const open = async (): Promise<Socket> => {
    const socket = connect(portOf(server), '127.0.0.1').setEncoding('utf8')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const openSeveral = async (count: number) => {
    const sockets: Socket[] = []
    for (let n = 0; n < count; n++) sockets.push(await open())
    return sockets
  }
  return { lines, open, openSeveral }
}

/** Sends a request. Returns the answer, or nothing if the connection is closed without one. */
async function send(socket: Socket, request: string): Promise<string> {
  let answer = ''
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (text: string) => {
      answer += text
      if (answer.includes('\r\n\r\n')) resolve()
    })
    socket.once('close', () => resolve())
  })
  socket.write(request)
  await ended
  return answer
}

describe('listen with connectionsPerClient', () => {
  it('refuses the requests of further connections, and answers their probes', async () => {
    const { open, openSeveral } = await start()
    await openSeveral(3)
    // On a busy machine, two seconds may pass before the server reads a request.
    const answerTo = (request: string) => expect.poll(async () => send(await open(), request))
    await answerTo(PAGE).toMatch(/^HTTP\/1.1 503 [^]*Retry-After: 1[^]*Connection: close/)
    await answerTo(PROBE).toMatch(/^HTTP\/1.1 200 [^]*Connection: close/)
  })

  it('closes the connections of a client that takes all places for its probes', async () => {
    const { open, openSeveral } = await start()
    await openSeveral(3)
    const furtherProbe = async () => {
      await openSeveral(PROBES)
      return send(await open(), PROBE)
    }
    await expect.poll(furtherProbe).toBe('')
  })

  it('serves the client again when it has closed a connection', async () => {
    const { open, openSeveral } = await start()
    const [first] = await openSeveral(3)
    first?.destroy()
    await expect.poll(async () => send(await open(), PAGE)).toMatch(/^HTTP\/1.1 200 /)
  })

  it.each([true, false])('logs the refused connections, with their address: %s', async (logCallers) => {
    const { lines, openSeveral } = await start({ logCallers })
    await openSeveral(5)
    const refused = () => lines.reduce((sum, line) => sum + line.refused, 0)
    await expect.poll(refused).toBe(2)
    const address = logCallers ? '127.0.0.1' : undefined
    for (const line of lines) {
      expect(line).toMatchObject({ msg: 'connections were refused', limit: 3 })
      expect(line.address).toBe(address)
    }
  })

  it('does not limit the connections of a proxy', async () => {
    const { open, openSeveral } = await start({ behindProxy: true })
    await openSeveral(3 + PROBES)
    expect(await send(await open(), PAGE)).toMatch(/^HTTP\/1.1 200 /)
  })
})
