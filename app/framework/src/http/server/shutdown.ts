import type { Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

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
export function closeAfterResponses(server: Server): void {
  server.prependListener('request', (_req, res: ServerResponse) => res.setHeader('Connection', 'close'))
}
