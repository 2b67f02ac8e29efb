import { listen } from 'pergola/app'
import type { Config } from '#app/config.ts'

/**
 * Answers `GET /livez` with 200, and `GET /readyz` with 200 while the worker takes jobs and with 503 otherwise, at the port
 * of `[worker]`. Does nothing without one. Returns a function that ends it.
 */
export async function serveHealth({ server, worker }: Config, isReady: () => boolean): Promise<() => void> {
  const { port } = worker
  if (port === undefined) return () => {}
  const listening = await listen(({ url }, res) => res.writeHead(statusOf(url, isReady)).end(), {
    host: server.host,
    port,
    behindProxy: false,
  })
  return () => {
    listening.close()
    listening.closeAllConnections()
  }
}

function statusOf(url: string | undefined, isReady: () => boolean): number {
  if (url === '/livez') return 200
  if (url !== '/readyz') return 404
  return isReady() ? 200 : 503
}
