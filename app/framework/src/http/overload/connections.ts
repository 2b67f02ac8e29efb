import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { network } from '../security/network.ts'
import { countEachSecond } from './count-each-second.ts'

/** The most connections that may send any request. */
const MOST = 2_000
/** Further connections, which are for probes. */
const PROBES = 100
/** The part of them that one client may take. */
const PROBES_PER_CLIENT = 10
/** Milliseconds after which a connection for probes is closed. */
const PROBE_TIME = 2_000

interface ConnectionLimit {
  /** The most connections of one client. */
  readonly perClient: number
  readonly log?: Logger | undefined
  /** Whether the lines of the log contain the address of a client. */
  readonly callers: boolean
}

/**
 * Limits the connections of a server: 2,000 in total, and `perClient` for each IPv4 address or IPv6 /64 network. Further
 * ones may send a probe within two seconds: 100 in total, and ten for each client. The others are closed at once.
 * Refusals are logged once a second.
 */
export function limitConnections(server: Server, limit: ConnectionLimit): Connections {
  const connections = new Connections(limit)
  server.maxConnections = MOST + PROBES
  server.on('drop', (dropped) => connections.countRefusal(dropped?.remoteAddress))
  server.prependListener('connection', (socket: Socket) => connections.open(socket))
  return connections
}

/** How many connections of a client are open. */
interface Client {
  all: number
  forProbes: number
}

class Connections {
  readonly #perClient: number
  readonly #countRefusal: () => void
  readonly #clients = new Map<string, Client>()
  readonly #forProbes = new Set<Socket>()
  #all = 0
  #refused: string | undefined

  constructor({ perClient, log, callers }: ConnectionLimit) {
    this.#perClient = perClient
    this.#countRefusal = countEachSecond(log, 'connections were refused', () => ({
      limit: Math.min(perClient, MOST),
      ...(callers && { address: this.#refused }),
    }))
  }

  /** Returns whether only a probe may be sent. */
  isForProbes(socket: Socket): boolean {
    return this.#forProbes.has(socket)
  }

  countRefusal(address: string | undefined): void {
    this.#refused = address
    this.#countRefusal()
  }

  open(socket: Socket): void {
    const address = network(socket.remoteAddress ?? '')
    const client = this.#clients.get(address) ?? { all: 0, forProbes: 0 }
    const hasPlace =
      this.#all - this.#forProbes.size < MOST && client.all - client.forProbes < this.#perClient
    if (!hasPlace) this.countRefusal(address)
    if (!hasPlace && (this.#forProbes.size >= PROBES || client.forProbes >= PROBES_PER_CLIENT)) {
      socket.destroy()
      return
    }
    this.#add(address, client)
    socket.once('close', () => this.#remove(address, client))
    if (!hasPlace) this.#keepForProbe(socket, client)
  }

  #add(address: string, client: Client): void {
    this.#clients.set(address, client)
    this.#all++
    client.all++
  }

  #remove(address: string, client: Client): void {
    this.#all--
    client.all--
    if (client.all === 0) this.#clients.delete(address)
  }

  #keepForProbe(socket: Socket, client: Client): void {
    this.#forProbes.add(socket)
    client.forProbes++
    const timer = setTimeout(() => socket.destroy(), PROBE_TIME).unref()
    socket.once('close', () => {
      clearTimeout(timer)
      this.#forProbes.delete(socket)
      client.forProbes--
    })
  }
}
