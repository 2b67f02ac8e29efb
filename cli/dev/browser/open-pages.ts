import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { isOwn } from '../supervisor-page.ts'
import { ERRORS_PATH, errorsPage } from '../types/type-errors-page.ts'

const STREAM_PATH = '/_dev/reload'
const SCRIPTS = new Map(
  ['reload.js', 'bar.js'].map((file) => [`/_dev/${file}`, join(import.meta.dirname, file)]),
)

/**
 * The pages that are open in browsers. Adds `reload.js` to each page, which shows changed files. It loads `bar.js`, which links
 * to the record of the request and to the errors of types.
 */
export class OpenPages {
  // Unique among the processes of `npm run dev`, so that pages also notice that it was started again.
  #version = Date.now()
  #errors: readonly string[] = []
  #check = 0
  readonly #changes = new EventEmitter().setMaxListeners(0)

  /** Makes each open page request its address again. */
  refresh(): void {
    this.#version += 1
    this.#changes.emit('change')
    this.#changes.emit('refresh')
  }

  /** Calls `listener` after each change of a file that pages depend on. */
  onRefresh(listener: () => void): void {
    this.#changes.on('refresh', listener)
  }

  /** Shows the number of these errors of types in each open page. */
  showErrors(errors: readonly string[]): void {
    this.#errors = errors
    this.#check += 1
    this.#changes.emit('change')
  }

  /** Answers the requests of the scripts, and for them. Returns false for all others. */
  answer(req: IncomingMessage, res: ServerResponse): boolean {
    const { url = '' } = req
    const script = SCRIPTS.get(url)
    if (url === STREAM_PATH) this.#stream(res)
    else if (url === ERRORS_PATH) this.#sendErrors(req, res)
    else if (script === undefined) return false
    else res.writeHead(200, { ...HEADERS, 'content-type': 'text/javascript' }).end(readFileSync(script))
    return true
  }

  /**
   * Returns a function that returns a stream that adds the scripts to a response, or null if it isn't a page. Call it before
   * the page is requested: a change during the request then makes the page request itself again.
   */
  scriptsForNow(): (response: IncomingMessage) => Transform | null {
    const script = this.#script()
    return (response) => (isPage(response) ? insertBefore('</head>', script) : null)
  }

  #script(): string {
    return `<script type="module" src="/_dev/reload.js" data-version="${this.#version}"></script>\n`
  }

  #sendErrors(req: IncomingMessage, res: ServerResponse): void {
    const { type, body } = errorsPage(isOwn(req) ? this.#errors : [], this.#check)
    res
      .writeHead(200, { ...HEADERS, 'content-type': type, 'content-security-policy': CSP })
      .end(body.replace('</head>', `${this.#script()}</head>`))
  }

  #stream(res: ServerResponse): void {
    const state = () => ({ version: this.#version, check: this.#check, errors: this.#errors.length })
    const send = () => res.write(`data: ${JSON.stringify(state())}\n\n`)
    res.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' })
    send()
    this.#changes.on('change', send)
    res.once('close', () => this.#changes.off('change', send))
  }
}

const isPage = ({ headers }: IncomingMessage): boolean =>
  (headers['content-type'] ?? '').startsWith('text/html') &&
  headers['content-encoding'] === undefined &&
  !headers['content-disposition']?.startsWith('attachment')

/**
 * Returns whether a browser opens a page. A response to htmx becomes a part of an open page, the page of a POST can't be
 * requested again, and a frame, such as that of a mail, belongs to another page.
 */
export function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (headers['hx-request'] !== undefined || headers['x-reload'] !== undefined) return false
  const isDocument = (headers['sec-fetch-dest'] ?? 'document') === 'document'
  return method === 'GET' && isDocument && (headers.accept ?? '').includes('text/html')
}

/** The bytes in which the mark must be: a response without one is not held longer. */
const SEARCHED = 65_536

function insertBefore(mark: string, insertion: string): Transform {
  // The beginning of the page, until the mark is found.
  let held: Buffer | null = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (held === null) return done(null, chunk)
      held = Buffer.concat([held, chunk])
      const [beginning, at] = [held, held.indexOf(mark)]
      if (at === -1 && beginning.length < SEARCHED) return done()
      held = null
      if (at === -1) return done(null, beginning)
      done(null, Buffer.concat([beginning.subarray(0, at), Buffer.from(insertion), beginning.subarray(at)]))
    },
    flush(done) {
      done(null, held)
    },
  })
}

const CSP = "default-src 'self'; style-src 'unsafe-inline'"

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
