import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { createServer } from '../node-http.ts'
import { isProbe } from '../cheap-requests.ts'
import { admission } from '../overload/admission.ts'
import { limitConnections } from '../overload/connections.ts'
import { overloadRefusal } from '../overload/refusal.ts'
import { settingsOf } from '../settings.ts'

/** Limits for slow clients and large headers; times in milliseconds, sizes in bytes. */
const LIMITS = {
  connectionsCheckingInterval: 5_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  maxHeaderSize: 16_384,
}

/** Half of all. A browser opens six, so an office behind one address has places for more than a hundred. */
const CONNECTIONS_PER_CLIENT = 1_000

interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /**
   * If true, idle connections stay open for 65 seconds, so that the proxy closes them first, and `connectionsPerClient`
   * doesn't apply: all connections are those of the proxy.
   */
  readonly behindProxy: boolean
  /** The most connections of one IPv4 address or IPv6 /64 network. Defaults to 1,000, half of all. */
  readonly connectionsPerClient?: number
  /** Milliseconds that a request waits for its turn; then it gets a 503. Defaults to 300. */
  readonly queueTimeout?: number
  /** Receives a line per second while requests or connections are refused. */
  readonly log?: Logger
  /** Whether the lines contain the address of a client whose connections are refused. Defaults to false. */
  readonly logCallers?: boolean
}

/**
 * Starts an HTTP server with limits against slow clients, and resolves once it listens. If `app` is that of
 * `webApplication`, the server also limits how many requests it handles at once, and refuses further ones with a 503. It has 2,000
 * connections at most, and 100 more for probes. Port 0 takes any free port: see `portOf`. `req.headers.host` is in lower case. Rejects if the port is taken.
 */
export async function listen(app: RequestListener, options: ListenOptions): Promise<Server> {
  const { host, port, behindProxy, queueTimeout: patience, log } = options
  const keepAliveTimeout = behindProxy ? 65_000 : 5_000
  const settings = settingsOf(app)
  const listener = settings === undefined ? app : admission(app as Express, { settings, log, patience })
  const refuse = settings === undefined ? refusePlainly : overloadRefusal(app as Express, settings)
  const server = createServer({ ...LIMITS, keepAliveTimeout }, (req, res) => {
    lowerCaseHost(req)
    if (isForProbes(req.socket)) {
      res.shouldKeepAlive = false
      if (!isProbe(req)) return refuse(req, res)
    }
    listener(req, res)
  })
  const isForProbes = limitConnections(server, {
    perClient: behindProxy ? Infinity : (options.connectionsPerClient ?? CONNECTIONS_PER_CLIENT),
    log,
    callers: options.logCallers ?? false,
  })
  server.timeout = Math.max(60_000, keepAliveTimeout + 5_000)
  server.maxRequestsPerSocket = 1_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(portIsTaken(port), { cause: error }) : error),
    )
    server.listen(port, host, resolve)
  })
  return server
}

const refusePlainly: RequestListener = (_req, res) => void res.writeHead(503, { 'Retry-After': '1' }).end()

/** Host names are case-insensitive, so that `shardOf` and `tenantOf` may compare the host with a name. */
function lowerCaseHost({ headers }: IncomingMessage): void {
  if (headers.host !== undefined) headers.host = headers.host.toLowerCase()
}

const portIsTaken = (port: number) =>
  `Port ${port} is taken. Stop the process that listens on it, or listen on another port`

/** Returns the port that the server listens on. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Milliseconds in which a second signal is ignored: a terminal sends Ctrl-C to all processes, and npm forwards it again. */
const ECHO = 300

interface Ending {
  server: Server
  log: Logger
  /** Milliseconds that the server keeps accepting requests after SIGTERM, until load balancers have noticed. */
  linger?: number
  /** Milliseconds to wait for open responses. */
  grace: number
  /** Called first, for example to make `/readyz` answer 503. */
  begin: () => void
  /** Called last, for example to close the database. Waits 1.5 seconds at most. */
  finish: () => Promise<unknown>
}

/**
 * Ends the process in order when it receives SIGTERM or SIGINT, or when its parent exits: calls `begin`, waits up to
 * `grace` milliseconds for open responses, calls `finish`, and exits with 0. After SIGTERM, it first serves requests for
 * another `linger` milliseconds, with `Connection: close`. An uncaught error ends the process in the same way, and it
 * exits with 1. A second signal exits at once, unless it comes within 300 milliseconds.
 */
export function endInOrder({ server, log, linger = 0, grace, begin, finish }: Ending): void {
  const failed = (error: unknown) => log.error({ err: error }, 'closing failed')
  let endingSince: number | null = null
  const end = async (code: number, event = '') => {
    if (endingSince !== null) {
      if (code === 0 && performance.now() - endingSince < ECHO) return
      process.exit(code || 130)
    }
    endingSince = performance.now()
    begin()
    if (event === 'SIGTERM' && linger > 0) {
      closeAfterResponses(server)
      await sleep(linger)
    }
    await drain(server, grace)
    // A hanging database statement must not delay the exit.
    await Promise.race([finish().catch(failed), sleep(1_500)])
    process.exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
    process.on(signal, () => void end(0, signal))
  // The parent process may have exited while this process was starting.
  if (process.send !== undefined && !process.connected) void end(0)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      // After such an error, the state of this process is unknown. It finishes the open responses and exits.
      log.fatal({ err: error }, event)
      console.error(error)
      void end(1)
    })
  }
}

/**
 * Closes a server: it accepts no new connections, and finishes open responses with `Connection: close`. Connections
 * that are still open after `grace` milliseconds are closed, including those with an incomplete request.
 */
export async function drain(server: Server, grace: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  closeAfterResponses(server)
  const deadline = sleep(grace, 'late' as const, { ref: false })
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  server.closeIdleConnections()
  if ((await Promise.race([closed, deadline])) === 'late') server.closeAllConnections()
  await closed
  clearInterval(idle)
}

/** Sends `Connection: close` with each response from now on, so that clients open their next connection elsewhere. */
function closeAfterResponses(server: Server): void {
  server.prependListener('request', (_req, res: ServerResponse) => res.setHeader('Connection', 'close'))
}
