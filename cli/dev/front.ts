import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '../port.ts'
import type { Ending } from './child.ts'
import { crashPage, RESTART_PATH, waitingPage } from './crash-page.ts'
import { forward, type Outcome } from './forward.ts'
import { isOwn, type Page } from './supervisor-page.ts'
import { isNavigation, OpenPages } from './browser/open-pages.ts'

/** Milliseconds that a request waits for a restart. Then it gets a page that reloads. */
const LONGEST_WAIT = 30_000
// Seconds until a page of the supervisor reloads.
const REFRESH = 1

type State =
  | { readonly is: 'up'; readonly port: number }
  | { readonly is: 'restarting'; readonly reason: string; readonly since: number }
  | { readonly is: 'crashed'; readonly ending: Ending }

interface FrontOptions {
  readonly host: string
  readonly port: number
  /** Takes the next free port if the port is in use. */
  readonly orNext?: boolean
  readonly longestWait?: number
}

/**
 * The HTTP server of `npm run dev`. It keeps the port while the server of the application restarts, forwards requests to
 * that server, delays them during a restart, and shows the error that prevents one.
 */
export class Front {
  /** The port that browsers use. */
  readonly port: number
  readonly #host: string
  readonly #longestWait: number
  readonly #server: Server
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #state: State = { is: 'restarting', reason: 'npm run dev was started', since: performance.now() }
  #restart = () => {}
  readonly pages = new OpenPages()

  private constructor(server: Server, { host, longestWait = LONGEST_WAIT }: FrontOptions) {
    this.#host = host
    this.#longestWait = longestWait
    this.port = (server.address() as AddressInfo).port
    this.#server = server.on(
      'request',
      (req: IncomingMessage, res: ServerResponse) => void this.#answer(req, res),
    )
  }

  /** Listens. Two processes never get the same port, even if they start at the same moment. Rejects if it is in use. */
  static async open(options: FrontOptions): Promise<Front> {
    for (let { port } = options; ; port += 1) {
      const server = createServer()
      try {
        server.listen(options.orNext ? (port = await freePort(port)) : port, options.host)
        await once(server, 'listening')
        return new Front(server, options)
      } catch (error) {
        if (!options.orNext || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      }
    }
  }

  /** Calls `restart` when the user presses the button of the crash page. */
  onRestart(restart: () => void): void {
    this.#restart = restart
  }

  /** Delays further requests. `reason` is why the server restarts. */
  hold(reason: string): void {
    this.#change({ is: 'restarting', reason, since: performance.now() })
  }

  /** Forwards the delayed and all further requests to a port of this machine. */
  forwardTo(port: number): void {
    this.#change({ is: 'up', port })
    this.pages.refresh()
  }

  showCrash(ending: Ending): void {
    this.#change({ is: 'crashed', ending })
    this.pages.refresh()
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #change(state: State): void {
    this.#state = state
    this.#changes.emit('change')
  }

  async #answer(req: IncomingMessage, res: ServerResponse, isRepeated = false): Promise<void> {
    if (this.pages.answer(req, res)) return
    const state = await this.#stateAfter((state) => state.is === 'restarting')
    if (state.is === 'crashed') return this.#answerCrashed(state.ending, req, res)
    if (state.is === 'restarting') return send(res, 503, waitingPage(inWords(state), req.headers.accept))
    const outcome: Outcome = await forward(req, res, {
      host: localAddress(this.#host),
      port: state.port,
      ...(isNavigation(req) && { change: this.pages.scriptsForNow() }),
    })
    if (outcome === 'answered') return
    // The server has ended: its end is about to be reported.
    const next = await this.#stateAfter((current) => current === state)
    if (outcome === 'repeatable' && !isRepeated && next !== state) return this.#answer(req, res, true)
    if (next.is === 'crashed') return this.#answerCrashed(next.ending, req, res)
    const doing = 'It ended while it handled this request, and may have carried it out.'
    send(res, 503, waitingPage(doing, req.headers.accept), req.method === 'GET')
  }

  /** Waits while `isPassing` returns true, at most for the longest wait, and returns the state. */
  async #stateAfter(isPassing: (state: State) => boolean): Promise<State> {
    const signal = AbortSignal.timeout(this.#longestWait)
    while (isPassing(this.#state) && !signal.aborted)
      await once(this.#changes, 'change', { signal }).catch(() => undefined)
    return this.#state
  }

  #answerCrashed(ending: Ending, req: IncomingMessage, res: ServerResponse): void {
    if (req.method !== 'POST' || req.url !== RESTART_PATH)
      return send(res, 500, crashPage(isOwn(req) ? ending : { ...ending, errors: '' }, req.headers.accept))
    res.writeHead(303, { ...HEADERS, location: req.headers.referer ?? '/' }).end()
    this.#restart()
  }
}

function inWords({ reason, since }: Extract<State, { is: 'restarting' }>): string {
  const seconds = Math.round((performance.now() - since) / 1_000)
  return `${reason}. app/server.ts has been starting for ${seconds} seconds.`
}

/** Returns the address to connect to for a server that listens on `host`. */
const localAddress = (host: string) => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host

function send(res: ServerResponse, status: number, { type, body }: Page, reloads = true): void {
  res
    .writeHead(status, { ...HEADERS, 'content-type': type, ...(reloads && { refresh: String(REFRESH) }) })
    .end(body)
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // htmx would swap this response into the page, where it doesn't reload.
  'hx-refresh': 'true',
  connection: 'close',
}
