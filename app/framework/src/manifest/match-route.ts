import type { Application } from 'express'
import { RouteIndex } from '../http/routes/route-index.ts'
import type { ListedRoute } from '../http/routes/route-types.ts'
import { type LiveLayer, liveLayers } from './live-layers.ts'

/** The handler of a request: a route of a table, the 405 of a path, or a route of the framework. */
export type Match =
  | { readonly is: 'route'; readonly route: ListedRoute }
  | { readonly is: 'other methods' }
  | { readonly is: 'framework'; readonly name: string }

/**
 * Returns the handler of a request among the routes of tables and of the framework. Returns null if no route matches.
 * Throws an error with the status 400 if the path is malformed.
 */
export function matchRoute(app: Application, method: string, path: string): Match | null {
  const index = new RouteIndex<LiveLayer>()
  for (const layer of liveLayers(app))
    if (layer.is === 'route' && layer.known !== undefined) index.add({ ...layer, handle: layer })
  const found = index.find(method, path)
  if (found === null) return null
  if (found.route === null) return { is: 'other methods' }
  const { known, name } = found.route.handle
  return known?.is === 'route' ? known : { is: 'framework', name }
}
