import type { ListedRoute } from './routes.ts'

/** What a function in the Express stack is. */
export type KnownLayer =
  | { readonly is: 'route'; readonly route: ListedRoute }
  | { readonly is: 'framework route' | 'other methods' | 'cross-origin check' | 'security headers' }

// Kept apart from the functions, so that nothing else can pass for one of them by its name.
const known = new WeakMap<object, KnownLayer>()

/** Remembers what this function is, for who reads the stack of a finished application. */
export function know<Layer extends object>(layer: Layer, what: KnownLayer): Layer {
  known.set(layer, what)
  return layer
}

/** Undefined for a function that the framework didn't put there. */
export const knownLayer = (layer: object): KnownLayer | undefined => known.get(layer)
