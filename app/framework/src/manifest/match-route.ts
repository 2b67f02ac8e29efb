import type { Application } from 'express'
import { layerOf } from '../http/routes/layers.ts'
import type { ListedRoute } from '../http/routes/route-types.ts'
import { type StackLayer, stackOf, withSteps } from './live-layers.ts'

/** The handler of a request: a route of a table, the 405 of a path, or another mounted function. */
export type Match =
  | { readonly is: 'route'; readonly route: ListedRoute }
  | { readonly is: 'other methods' }
  | { readonly is: 'elsewhere'; readonly name: string }

/**
 * Returns the handler of a request: a route of a table, the 405 of a path, or another function. Returns null if no
 * handler matches. Throws an error with the status 400 if the path is malformed.
 */
export function matchRoute(app: Application, method: string, path: string): Match | null {
  return firstMatch(stackOf(app), method, path)
}

function firstMatch(stack: readonly StackLayer[], method: string, path: string): Match | null {
  for (const layer of stack) {
    const matched = layer.match(path)
    const found = matched === false ? null : matchIn(layer, method, below(path, matched.path))
    if (found !== null) return found
  }
  return null
}

function matchIn(layer: StackLayer, method: string, rest: string): Match | null {
  const known = layerOf(layer.handle)
  if (known?.is === 'routes') {
    const found = known.index.find(method, rest)
    if (found === null) return null
    return found.route === null ? { is: 'other methods' } : matchOf(found.route.handle)
  }
  if (layer.route !== undefined) {
    const [first] = layer.route._handlesMethod(method) ? layer.route.stack : []
    return first === undefined ? null : matchOf(first.handle)
  }
  if (layer.handle.stack !== undefined) return firstMatch(withSteps(layer.handle.stack), method, rest)
  // Middleware without a path runs for every request, so it is not the handler.
  return layer.rawPath === '/' ? null : matchOf(layer.handle)
}

function matchOf(handle: object): Match {
  const known = layerOf(handle)
  if (known?.is === 'route') return { is: 'route', route: known.route }
  return { is: 'elsewhere', name: (handle as { name: string }).name }
}

/** Returns the path relative to a nested router. */
const below = (path: string, prefix: string): string => `/${path.slice(prefix.length).replace(/^\//, '')}`
