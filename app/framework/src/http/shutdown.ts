import type { Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Ends a server: no new connections, answers under way are finished and told to close, and whatever is still open
 * after `grace` milliseconds, half-sent requests and silent sockets included, is cut.
 */
export async function drain(server: Server, grace: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.prependListener('request', (_req, res: ServerResponse) => res.setHeader('Connection', 'close'))
  const deadline = sleep(grace, 'late' as const, { ref: false })
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  server.closeIdleConnections()
  if ((await Promise.race([closed, deadline])) === 'late') server.closeAllConnections()
  await closed
  clearInterval(idle)
}
