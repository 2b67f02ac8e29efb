import type { Application } from 'express'
import { type Layer, layerOf } from '../http/layers.ts'
import { unsentExchange } from '../http/unsent-exchange.ts'
import { type LiveLayer, liveLayers } from './live-layers.ts'
import { type Dimensions, sortedBy } from './schema.ts'

/** Returns the names of the middleware, in order. */
export const middlewareOf = (app: Application): string[] =>
  liveLayers(app)
    .filter((layer) => layer.is === 'middleware')
    .map(({ path, name }) => (path === '/' ? name : `${name} below ${path}`))

/** Returns the cross-origin check in the Express stack, and the routes before it, which are exempt. */
export function csrfOf(app: Application): Dimensions['csrf'] {
  const { middleware, before } = standing(app, 'cross-origin check')
  return { provenance: 'provable', check: middleware?.name ?? null, exempt: before }
}

/** Returns the headers that the middleware sets, and the routes before it, which don't have these headers. */
export function securityHeadersOf(app: Application): Dimensions['security_headers'] {
  const { middleware, before } = standing(app, 'security headers')
  const headers = middleware === undefined ? {} : headersSetBy(app, middleware)
  return { provenance: 'provable', headers, missing_on: before }
}

interface Standing {
  readonly middleware: LiveLayer | undefined
  /** The routes before the middleware; all routes if it is missing. */
  readonly before: string[]
}

/** Returns the first middleware of this role that runs for every request. */
export function standing(app: Application, role: Layer['is']): Standing {
  const layers = liveLayers(app)
  const middleware = layers.find(
    ({ is, path, handles: [handle] }) =>
      is === 'middleware' && path === '/' && handle && layerOf(handle)?.is === role,
  )
  const earlier = middleware === undefined ? layers : layers.slice(0, layers.indexOf(middleware))
  const routes = earlier
    .filter(({ is, path }) => is === 'route' || path !== '/')
    .map(({ method, path }) => `${method} ${path}`)
  return { middleware, before: sortedBy(new Set(routes)) }
}

function headersSetBy(app: Application, { handles: [handle] }: LiveLayer): Record<string, string> {
  const { req, res } = unsentExchange(app)
  void handle?.(req, res, () => {})
  return Object.fromEntries(Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]))
}
