import type { Application, RequestHandler } from 'express'
import { type Layer, layerOf } from '../http/routes/layers.ts'
import { unsentExchange } from '../http/server/unsent-exchange.ts'
import { liveLayers, type LiveLayer } from './live-layers.ts'
import { type Dimensions, sortedBy } from './schema.ts'

/** Returns the names of the middleware, in order. */
export function middlewareOf(app: Application): string[] {
  return liveLayers(app).flatMap((layer) => (layer.is === 'middleware' ? nameIn(layer) : []))
}

const nameIn = ({ path, name }: Extract<LiveLayer, { is: 'middleware' }>) =>
  path === '/' ? name : `${name} below ${path}`

/** Returns the cross-origin check in the Express stack, and the routes before it, which are exempt. */
export function csrfOf(app: Application): Dimensions['csrf'] {
  const { name, before } = standing(app, 'cross-origin check')
  return { provenance: 'provable', check: name, exempt: before }
}

/** Returns the headers that the middleware sets, and the routes before it, which don't have these headers. */
export function securityHeadersOf(app: Application): Dimensions['security_headers'] {
  const { handle, before } = standing(app, 'security headers')
  const headers = handle === undefined ? {} : headersSetBy(app, handle as RequestHandler)
  return { provenance: 'provable', headers, missing_on: before }
}

interface Standing {
  handle: object | undefined
  name: string | null
  /** The routes before the middleware; all routes if it is missing. */
  before: string[]
}

function standing(app: Application, what: Layer['is']): Standing {
  const layers = liveLayers(app)
  const at = layers.findIndex(
    (layer) => layer.is === 'middleware' && layer.path === '/' && layerOf(layer.handle)?.is === what,
  )
  const found = layers[at]
  const before = (at < 0 ? layers : layers.slice(0, at)).flatMap(routeText)
  return {
    handle: found?.is === 'middleware' ? found.handle : undefined,
    name: found?.is === 'middleware' ? found.name : null,
    before: sortedBy(new Set(before), (text) => text),
  }
}

function routeText(layer: LiveLayer): string[] {
  if (layer.is === 'middleware') return layer.path === '/' ? [] : [`ALL ${layer.path}`]
  return [`${layer.method} ${layer.path}`]
}

function headersSetBy(app: Application, middleware: RequestHandler): Record<string, string> {
  const { req, res } = unsentExchange(app)
  void middleware(req, res, () => {})
  return Object.fromEntries(Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]))
}
