import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import { markLayer } from '../routes/layers.ts'
import { loadHelmet } from '../server-packages.ts'

declare module 'node:http' {
  interface ServerResponse {
    /** The security headers, which an error page sets again. */
    securityHeaders?: readonly Header[]
  }
}

type Header = readonly [name: string, value: string]

const DIRECTIVES = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'manifest-src': ["'self'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'object-src': ["'none'"],
  'frame-ancestors': ["'none'"],
} as const

type ExtensibleDirective = 'script-src' | 'style-src' | 'img-src' | 'font-src' | 'connect-src' | 'form-action'

const ORIGIN = /^(?:https?|wss?):\/\/[^\s;,'"]+$/

interface SecurityHeaderOptions {
  readonly https: boolean
  /** Further origins of the Content-Security-Policy: `{ 'img-src': ['https://images.example.org'] }`. */
  readonly sources?: Readonly<Partial<Record<ExtensibleDirective, readonly string[]>>>
}

/**
 * Returns middleware that sets the security headers of every response: a Content-Security-Policy that forbids inline
 * code and the origins that are not in `sources`, `no-store`, and with `https` also HSTS for one year. Throws if a source
 * is not an origin, such as `'unsafe-inline'`.
 */
export function securityHeaders(options: SecurityHeaderOptions): RequestHandler {
  const headers = securityHeaderList(options)
  const middleware: RequestHandler = function securityHeaders(_req, res, next) {
    res.removeHeader('X-Powered-By')
    for (const [name, value] of headers) res.setHeader(name, value)
    res.securityHeaders = headers
    next()
  }
  return markLayer(middleware, { is: 'security headers' })
}

/** Returns the headers of `securityHeaders`. */
export function securityHeaderList({ https, sources = {} }: SecurityHeaderOptions): readonly Header[] {
  const wrong = Object.values(sources)
    .flat()
    .find((source) => !ORIGIN.test(source))
  if (wrong !== undefined)
    throw new Error(`The source ${wrong} is not an origin. Use one like https://images.example.org.`)
  const directives = Object.entries(DIRECTIVES).map(([name, own]) => [
    name,
    [...own, ...(sources[name as ExtensibleDirective] ?? [])],
  ])
  const protect = loadHelmet()({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: Object.fromEntries(directives) as Record<string, string[]>,
    },
    strictTransportSecurity: https && { maxAge: 31_536_000, includeSubDomains: true },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    xFrameOptions: { action: 'deny' },
  })
  return [
    ['Cache-Control', 'no-store'],
    ['Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
    ...headersOf(protect),
  ]
}

/** Returns the headers that the middleware sets, which don't depend on the request. */
function headersOf(middleware: ReturnType<ReturnType<typeof loadHelmet>>): Header[] {
  const headers: Header[] = []
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  }
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => {})
  return headers
}

/**
 * Removes the headers of guards and handlers, which could reveal that a denied record exists. Those of `requestLog` and
 * `securityHeaders` remain.
 */
export function resetHeaders(res: ServerResponse): void {
  for (const name of res.getHeaderNames()) if (name !== 'x-request-id') res.removeHeader(name)
  for (const [name, value] of res.securityHeaders ?? []) res.setHeader(name, value)
}
