import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ending } from './child.ts'
import { crashPage, RESTART_PATH } from './crash-page.ts'

// Seconds until the page reloads.
const REFRESH = 1

/** Listens on the port of the crashed server, and responds to every request with the crash page. */
export class CrashServer {
  readonly #host: string
  readonly #port: number
  readonly #restart: () => void
  #server: Server | null = null
  #shown: Ending | null = null
  #reloadDue = 0
  #waiting: ServerResponse[] = []

  /** Calls `restart` when the user presses the button of the page. */
  constructor(host: string, port: number, restart: () => void) {
    this.#host = host
    this.#port = port
    this.#restart = restart
  }

  async open(ending: Ending): Promise<void> {
    this.#shown = ending
    const server = createServer((req, res) => this.#answer(req, res))
    this.#server = server
    await new Promise<void>((resolve) => {
      server.on('error', (error) => {
        console.error(`Could not show the crash page: ${error.message}`)
        resolve()
      })
      server.listen(this.#port, this.#host, resolve)
    })
    this.#release()
  }

  /**
   * Stops listening on the port. First waits for the next reload of the page, unless `signal` is aborted, and delays the
   * response until the restarted server listens. Otherwise, a reload without a listener would show a browser error.
   */
  async close(signal: AbortSignal): Promise<void> {
    this.#shown = null
    const isDue = () => this.#waiting.length === 0 && performance.now() < this.#reloadDue
    while (isDue() && !signal.aborted) await sleep(20)
    this.#server?.close()
    this.#server = null
  }

  /** Responds to the delayed requests as soon as the restarted server accepts connections. */
  async releaseWhenUp(signal: AbortSignal): Promise<void> {
    while (this.#waiting.length > 0 && !signal.aborted) {
      if (await accepts(this.#host, this.#port)) this.#release()
      else await sleep(50)
    }
  }

  #release(): void {
    for (const res of this.#waiting.splice(0))
      res.writeHead(500, { ...headers, refresh: '0' }).end('Starting …\n')
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    if (req.method === 'POST' && req.url === RESTART_PATH) {
      res.writeHead(303, { ...headers, location: req.headers.referer ?? '/' }).end()
      this.#restart()
      return
    }
    if (this.#shown === null) {
      this.#waiting.push(res)
      return
    }
    const { type, body } = crashPage(this.#shown, req.headers.accept)
    res.writeHead(500, { ...headers, 'content-type': type, refresh: String(REFRESH) }).end(body)
    if (type.startsWith('text/html')) this.#reloadDue = performance.now() + (REFRESH + 0.3) * 1000
  }
}

const headers = {
  'content-type': 'text/plain; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'self'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // htmx would swap this response into the page, where it doesn't reload.
  'hx-refresh': 'true',
  connection: 'close',
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
