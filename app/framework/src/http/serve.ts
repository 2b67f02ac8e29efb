import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { drain } from './shutdown.ts'

/** Limits against clients that are slow, silent or greedy; in milliseconds. */
const LIMITS = {
  connectionsCheckingInterval: 5_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  maxHeaderSize: 16_384,
}

interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Whether a proxy stands in front: it keeps its connections longer, and must be the one that closes them. */
  readonly behindProxy: boolean
}

/** Listens, and resolves with the server once it does. Rejects when the port is taken. */
export async function listen(
  app: RequestListener,
  { host, port, behindProxy }: ListenOptions,
): Promise<Server> {
  const keepAliveTimeout = behindProxy ? 65_000 : 5_000
  const server = createServer({ ...LIMITS, keepAliveTimeout }, app)
  server.timeout = Math.max(60_000, keepAliveTimeout + 5_000)
  server.maxRequestsPerSocket = 1_000
  server.maxConnections = 2_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

interface Ending {
  server: Server
  log: Logger
  /** Milliseconds that answers under way may take. */
  grace: number
  /** Called first: from here on the process is not ready. */
  begin: () => void
  /** Called last, when no request is left. */
  finish: () => Promise<void>
}

/**
 * Ends the process in order: on SIGTERM, SIGINT and when the parent that watches it is gone with exit code 0, after an
 * error that nobody caught with 1. A second signal ends it at once.
 */
export function endInOrder({ server, log, grace, begin, finish }: Ending): void {
  const failed = (error: unknown) => log.error({ err: error }, 'closing failed')
  let ending = false
  const end = async (code: number) => {
    if (ending) process.exit(code || 130)
    ending = true
    begin()
    await drain(server, grace)
    // A statement that hangs in the database must not hold the process up.
    await Promise.race([finish().catch(failed), sleep(1_500)])
    process.exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, () => void end(0))
  // The parent may have gone while this process was still starting.
  if (process.send !== undefined && !process.connected) void end(0)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      // What state this left behind nobody knows: finish what is under way and let a new process begin.
      log.fatal({ err: error }, event)
      console.error(error)
      void end(1)
    })
  }
}
