import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Express, Request } from 'express'
import { detailOf, TITLES } from '../views/error-page.ts'
import { Unavailable } from '../errors.ts'
import { answersJson, isHtmx } from '../negotiation.ts'
import { securityHeaderList } from '../security/security-headers.ts'
import type { HttpSettings } from '../settings.ts'

/** The bytes of a body that a refused client may send to its end. For a larger body, the connection is closed. */
const MOST_DRAINED = 65_536

const error = new Unavailable()
const title = TITLES[error.status] ?? ''
const detail = detailOf(error)

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><h1>${title}</h1><p>${error.status}</p><p>${detail}</p></body>
</html>
`
const FRAGMENT = `<p id="problem-text" role="alert">${detail}</p>\n`
const PROBLEM = JSON.stringify({
  type: 'about:blank',
  title: 'Service Unavailable',
  status: error.status,
  detail,
  code: error.code,
})

/**
 * Returns a function that answers a request with the 503 of an overloaded process: a page, a fragment for htmx, or JSON,
 * with the security headers of every response. The responses are built once.
 */
export function overloadRefusal(app: Express, { https }: HttpSettings) {
  const shared = {
    ...Object.fromEntries(securityHeaderList({ https })),
    ...error.headers,
    Vary: 'Accept, HX-Request',
  }
  const page = answer('text/html; charset=utf-8', PAGE, shared)
  const fragment = answer('text/html; charset=utf-8', FRAGMENT, shared)
  const problem = answer('application/problem+json; charset=utf-8', PROBLEM, shared)

  return function refuse(message: IncomingMessage, res: ServerResponse): void {
    const req = Object.setPrototypeOf(message, app.request) as Request
    // Node reads and ignores the rest of a body after the response.
    if (!hasSmallBody(req)) res.shouldKeepAlive = false
    const { headers, body } = answersJson(req) ? problem : isHtmx(req) ? fragment : page
    res.writeHead(error.status, headers).end(body)
  }
}

const answer = (type: string, text: string, shared: OutgoingHttpHeaders) => {
  const body = Buffer.from(text)
  const headers = { ...shared, 'Content-Type': type, 'Content-Length': body.length }
  return { headers: Object.entries(headers).flat() as string[], body }
}

function hasSmallBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MOST_DRAINED
}
