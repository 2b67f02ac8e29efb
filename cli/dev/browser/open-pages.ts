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
 * The pages that are open in browsers. Adds scripts to each page: one shows changed files, the other one is the bar with a
 * link to what the request did. The application knows nothing of them.
 */
export class OpenPages {
  // Unique among the processes of `npm run dev`, so that pages also notice that it was started again.
  #version = Date.now()
  readonly #changes = new EventEmitter().setMaxListeners(0)

  /** Open pages request again what they show. */
  changed(): void {
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

  /** Returns a stream that adds the scripts to the response, or null if it isn't a page. */
  addScripts({ headers }: IncomingMessage): Transform | null {
    const isPage = headers['content-type']?.startsWith('text/html') && !headers['content-encoding']
    return isPage ? insertBefore('</head>', this.#scripts()) : null
  }

  #scripts(): string {
    const tags = [...SCRIPTS.keys()].map(
      (path) => `<script src="${path}" data-version="${this.#version}" defer></script>`,
    )
    return `${tags.join('\n')}\n`
  }

  #stream(res: ServerResponse): void {
    const send = () => res.write(`data: ${this.#version}\n\n`)
    res.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' })
    send()
    this.#changes.on('change', send)
    res.once('close', () => this.#changes.off('change', send))
  }
}

/**
 * Returns whether a browser opens a page. htmx puts its responses into an open page, and the page of a POST can't be
 * requested again. Nor does a frame, such as that of a mail, get scripts.
 */
export function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (headers['hx-request'] !== undefined || headers['x-reload'] !== undefined) return false
  const isDocument = (headers['sec-fetch-dest'] ?? 'document') === 'document'
  return method === 'GET' && isDocument && (headers.accept ?? '').includes('text/html')
}

function insertBefore(mark: string, insertion: string): Transform {
  // The beginning of the page, until the mark is found.
  let held: Buffer | null = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (held === null) return done(null, chunk)
      held = Buffer.concat([held, chunk])
      const at = held.indexOf(mark)
      if (at === -1) return done()
      const page = Buffer.concat([held.subarray(0, at), Buffer.from(insertion), held.subarray(at)])
      held = null
      done(null, page)
    },
    flush(done) {
      done(null, held)
    },
  })
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
