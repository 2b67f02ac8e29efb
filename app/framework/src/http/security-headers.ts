import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import { markLayer } from './layers.ts'
import { loadHelmet } from './server-packages.ts'

const baseHeaders = new WeakMap<ServerResponse, OutgoingHttpHeaders>()

/**
 * Returns middleware that sets the security headers of every response: a Content-Security-Policy that forbids inline
 * code and other origins, `no-store`, and with `https` also HSTS for one year.
 */
export function securityHeaders({ https }: { https: boolean }): RequestHandler {
  const protect = loadHelmet()({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
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
      },
    },
    strictTransportSecurity: https && { maxAge: 31_536_000, includeSubDomains: true },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    xFrameOptions: { action: 'deny' },
  })
  const middleware: RequestHandler = function securityHeaders(req, res, next) {
    res.set('Cache-Control', 'no-store')
    res.set('Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()')
    protect(req, res, (error) => {
      baseHeaders.set(res, { ...res.getHeaders() })
      next(error)
    })
  }
  return markLayer(middleware, { is: 'security headers' })
}

/** Removes the headers of guards and handlers. They could reveal that a denied record exists. */
export function resetHeaders(res: ServerResponse): void {
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  for (const [name, value] of Object.entries(baseHeaders.get(res) ?? {})) res.setHeader(name, value ?? '')
}
