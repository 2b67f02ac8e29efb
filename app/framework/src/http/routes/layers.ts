import type { RequestHandler } from 'express'
import type { RouteIndex } from './route-index.ts'
import type { ListedRoute } from './route-types.ts'

/** The role of a function that the framework adds to the Express stack. */
export type Layer =
  | { readonly is: 'route'; readonly route: ListedRoute }
  /** A middleware that looks a request up in its routes. Their handles have layers of their own. */
  | { readonly is: 'routes'; readonly index: RouteIndex<RequestHandler> }
  | { readonly is: 'framework route' | 'cross-origin check' | 'request checks' | 'security headers' }

const layers = new WeakMap<object, Layer>()

/** Marks a function with its role, for the security manifest, which reads the Express stack. */
export function markLayer<Handle extends object>(handle: Handle, layer: Layer): Handle {
  layers.set(handle, layer)
  return handle
}

/** Returns the role of a function. Undefined if the framework didn't add it. */
export const layerOf = (handle: object): Layer | undefined => layers.get(handle)
