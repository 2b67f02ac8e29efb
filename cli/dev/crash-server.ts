import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ending } from './child.ts'
import { crashPage, START_AGAIN } from './crash-page.ts'

// A page reloads itself after this many seconds.
const REFRESH = 1

/** Answers every request in place of a server that has crashed, on the same port. */
export class CrashServer {
  readonly #host: string
  readonly #port: number
  readonly #startAgain: () => void
  #server: Server | null = null
  #shown: Ending | null = null
  #reloadDue = 0
  #waiting: ServerResponse[] = []

  /** `startAgain` is called when the button of the page is pressed. */
  constructor(host: string, port: number, startAgain: () => void) {
    this.#host = host
    this.#port = port
    this.#startAgain = startAgain
  }

  async open(ending: Ending): Promise<void> {
    this.#shown = ending
    const server = createServer((req, res) => this.#answer(req, res))
    this.#server = server
    await new Promise<void>((resolve) => {
      server.on('error', (error) => {
        console.error(`The crash page cannot be shown: ${error.message}`)
        resolve()
      })
      server.listen(this.#port, this.#host, resolve)
    })
    this.#release()
  }

  /**
   * Gives the port back. A page that would reload itself while nobody listens would be lost: so its reload is
   * awaited first (unless the signal says that all ends), and the requests of this time stay unanswered until
   * somebody listens again.
   */
  async close(signal: AbortSignal): Promise<void> {
    this.#shown = null
    const isDue = () => this.#waiting.length === 0 && performance.now() < this.#reloadDue
    while (isDue() && !signal.aborted) await sleep(20)
    this.#server?.close()
    this.#server = null
  }

  /** Answers the requests that still wait as soon as the restarted server accepts connections. */
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
    if (req.method === 'POST' && req.url === START_AGAIN) {
      res.writeHead(303, { ...headers, location: req.headers.referer ?? '/' }).end()
      this.#startAgain()
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
  // An htmx request would swap the page in, where it would not reload itself.
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
