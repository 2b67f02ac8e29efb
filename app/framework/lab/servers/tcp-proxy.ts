import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

/** The network between an application and a server, with faults. */
export interface TcpProxy {
  /** Returns a URL of the server with the address of the proxy. */
  through: (url: string) => string
  /** Resets all connections, and resets new ones. */
  cut: () => void
  /**
   * Discards all bytes, and the ends of connections: both sides keep connections on which nothing arrives. New
   * connections are accepted, and nothing answers.
   */
  vanish: () => void
  /** Delays all bytes, and limits their rate. */
  slow: (limits: { milliseconds: number; bytesPerSecond: number }) => void
  /** Ends all faults for new connections. Those whose bytes vanished remain silent. */
  heal: () => void
}

/**
 * Starts a proxy on 127.0.0.1 to the server of a URL, and closes it when the test file ends. It forwards all bytes until
 * one of its faults is called.
 *
 * ```ts
 * const network = await tcpProxy(postgres.url('app'))
 * const server = await restartableServer(['app/server.ts'], { DATABASE_URL: network.through(postgres.url('app')) })
 * network.cut()
 * network.heal()
 * ```
 */
export async function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const network: Network = { lines: new Set(), state: 'open', milliseconds: 0, bytesPerSecond: Infinity }
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => {})
    if (network.state === 'cut') near.resetAndDestroy()
    else {
      const far = connect({ port: Number(port), host: hostname, noDelay: true })
      far.on('error', () => {})
      open(network, { near, far, hasVanished: network.state === 'vanished' })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxyPort = (server.address() as AddressInfo).port
  afterAll(() => {
    reset(network)
    server.close()
  })
  return {
    through(url) {
      const address = new URL(url)
      address.host = `127.0.0.1:${proxyPort}`
      return address.href
    },
    cut() {
      network.state = 'cut'
      reset(network)
    },
    vanish() {
      network.state = 'vanished'
      for (const line of network.lines) line.hasVanished = true
    },
    slow: (limits) => void Object.assign(network, limits),
    heal: () => void Object.assign(network, { state: 'open', milliseconds: 0, bytesPerSecond: Infinity }),
  }
}

interface Network {
  readonly lines: Set<Line>
  state: 'open' | 'cut' | 'vanished'
  milliseconds: number
  bytesPerSecond: number
}

interface Line {
  readonly near: Socket
  readonly far: Socket
  hasVanished: boolean
}

function open(network: Network, line: Line): void {
  network.lines.add(line)
  forward(network, line, [line.near, line.far])
  forward(network, line, [line.far, line.near])
}

function forward(network: Network, line: Line, [from, to]: [Socket, Socket]): void {
  let last = Promise.resolve()
  from.on('data', (bytes) => {
    const delay = network.milliseconds + (bytes.length / network.bytesPerSecond) * 1_000
    last = last
      .then(() => (delay > 0 ? sleep(delay) : undefined))
      .then(() => void (line.hasVanished || to.destroyed || to.write(bytes)))
  })
  from.on('close', () => {
    if (line.hasVanished) return
    network.lines.delete(line)
    void last.then(() => to.destroy())
  })
}

function reset({ lines }: Network): void {
  for (const { near, far } of lines) for (const socket of [near, far]) socket.resetAndDestroy()
}
