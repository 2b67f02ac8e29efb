import type { Application } from 'express'
import { layerOf } from '../http/layers.ts'
import type { ListedRoute } from '../http/route-types.ts'
import { type StackLayer, stackOf } from './live-layers.ts'

/** The handler of a request: a route of a table, the 405 of a path, or another mounted function. */
export type Match =
  | { readonly is: 'route'; readonly route: ListedRoute }
  | { readonly is: 'other methods' }
  | { readonly is: 'elsewhere'; readonly name: string }

/**
 * Returns the handler of a request, which Express finds: a route of a table, the 405 of a path, or another function.
 * Returns null if no handler matches. Throws a `URIError` if the path is malformed.
 */
export function matchRoute(app: Application, method: string, path: string): Match | null {
  const handle = firstMatch(stackOf(app), method, path)
  if (handle === null) return null
  const known = layerOf(handle)
  if (known?.is === 'route') return { is: 'route', route: known.route }
  if (known?.is === 'other methods') return { is: 'other methods' }
  return { is: 'elsewhere', name: (handle as { name: string }).name }
}

function firstMatch(stack: readonly StackLayer[], method: string, path: string): object | null {
  for (const layer of stack) {
    const matched = layer.match(path)
    const found = matched === false ? null : handlerOf(layer, method, below(path, matched.path))
    if (found !== null) return found
  }
  return null
}

function handlerOf(layer: StackLayer, method: string, rest: string): object | null {
  if (layer.route !== undefined) {
    return layer.route._handlesMethod(method) ? (layer.route.stack[0]?.handle ?? null) : null
  }
  if (layer.handle.stack !== undefined) return firstMatch(layer.handle.stack, method, rest)
  // Middleware without a path runs for every request, so it is not the handler.
  return layer.rawPath === '/' ? null : layer.handle
}

/** Returns the path relative to a nested router. */
const below = (path: string, prefix: string): string => `/${path.slice(prefix.length).replace(/^\//, '')}`
