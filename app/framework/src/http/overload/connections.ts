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
 * Refusals are logged once a second. Returns a function that returns whether a connection is only for a probe.
 */
export function limitConnections(
  server: Server,
  { perClient, log, callers }: ConnectionLimit,
): (socket: Socket) => boolean {
  const connections = new ClientPlaces(MOST, perClient)
  const probes = new ClientPlaces(PROBES, PROBES_PER_CLIENT)
  const forProbes = new WeakSet<Socket>()
  const count = countEachSecond(log, 'connections were refused')
  const countRefusal = (address: string | undefined) =>
    count({ limit: Math.min(perClient, MOST), ...(callers && { address }) })
  server.maxConnections = MOST + PROBES
  server.on('drop', (dropped) => countRefusal(dropped?.remoteAddress))
  server.prependListener('connection', (socket: Socket) => {
    const client = network(socket.remoteAddress ?? '')
    if (connections.take(client, socket)) return
    countRefusal(client)
    if (!probes.take(client, socket)) {
      socket.destroy()
      return
    }
    forProbes.add(socket)
    const timer = setTimeout(() => socket.destroy(), PROBE_TIME).unref()
    socket.once('close', () => clearTimeout(timer))
  })
  return (socket) => forProbes.has(socket)
}

/** Places for connections: `most` in total, and `perClient` for each client. */
class ClientPlaces {
  readonly #most: number
  readonly #perClient: number
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor(most: number, perClient: number) {
    this.#most = most
    this.#perClient = perClient
  }

  /** Takes a place until the connection closes. Returns false if none is free. */
  take(client: string, socket: Socket): boolean {
    const isFree = this.#all < this.#most && (this.#taken.get(client) ?? 0) < this.#perClient
    if (!isFree) return false
    this.#add(client, 1)
    socket.once('close', () => this.#add(client, -1))
    return true
  }

  #add(client: string, change: 1 | -1): void {
    const count = (this.#taken.get(client) ?? 0) + change
    this.#all += change
    if (count === 0) this.#taken.delete(client)
    else this.#taken.set(client, count)
  }
}
