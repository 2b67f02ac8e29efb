import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'

const STREAM_PATH = '/_dev/reload'
const SCRIPTS = new Map(
  ['reload.js', 'bar.js'].map((file) => [`/_dev/${file}`, join(import.meta.dirname, file)]),
)

/**
 * The pages that are open in browsers. Adds two scripts to each page: `reload.js` shows changed files, and `bar.js` links to
 * the record of the request.
 */
export class OpenPages {
  // Unique among the processes of `npm run dev`, so that pages also notice that it was started again.
  #version = Date.now()
  readonly #changes = new EventEmitter().setMaxListeners(0)

  /** Makes each open page request its address again. */
  refresh(): void {
    this.#version += 1
    this.#changes.emit('change')
  }

  /** Answers the requests of the scripts, and for them. Returns false for all others. */
  answer({ url = '' }: IncomingMessage, res: ServerResponse): boolean {
    const script = SCRIPTS.get(url)
    if (url === STREAM_PATH) this.#stream(res)
    else if (script === undefined) return false
    else res.writeHead(200, { ...HEADERS, 'content-type': 'text/javascript' }).end(readFileSync(script))
    return true
  }

  /**
   * Returns a function that returns a stream that adds the scripts to a response, or null if it isn't a page. Call it before
   * the page is requested: a change during the request then makes the page request itself again.
   */
  scriptsForNow(): (response: IncomingMessage) => Transform | null {
    const tags = [...SCRIPTS.keys()].map(
      (path) => `<script type="module" src="${path}" data-version="${this.#version}"></script>\n`,
    )
    return (response) => (isPage(response) ? insertBefore('</head>', tags.join('')) : null)
  }

  #stream(res: ServerResponse): void {
    const send = () => res.write(`data: ${this.#version}\n\n`)
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

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
