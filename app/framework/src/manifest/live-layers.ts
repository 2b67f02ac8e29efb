import type { Application, RequestHandler } from 'express'
import { type Layer, layerOf } from '../http/routes/layers.ts'
import { METHODS } from '../http/node-http.ts'

/** A middleware or a route in the Express stack. */
export interface LiveLayer {
  readonly is: 'middleware' | 'route'
  /** `ALL` for middleware and for `app.all`. */
  readonly method: string
  /** The full path, with the paths of parent routers. */
  readonly path: string
  readonly name: string
  readonly handle: RequestHandler
  /** The role of its only function. Undefined for functions that the framework didn't add. */
  readonly known: Layer | undefined
}

/** The layer that Express creates for each `use` and for each route. Express doesn't document it. */
interface StackLayer {
  readonly name: string
  readonly rawPath?: unknown
  readonly handle: RequestHandler & Partial<Stack>
  readonly route?: { readonly stack: readonly RouteLayer[] }
}

interface RouteLayer {
  readonly method: string | undefined
  readonly handle: RequestHandler
}

interface Stack {
  readonly stack: readonly StackLayer[]
}

/** Returns all functions in the stack of an application, including those of nested routers. */
export const liveLayers = (app: Application): LiveLayer[] =>
  layersBelow('', (app as unknown as { router: Stack }).router.stack)

const layersBelow = (prefix: string, stack: readonly StackLayer[]): LiveLayer[] =>
  stack.flatMap((layer) => layersOf(prefix + pathOf(layer), layer))

function layersOf(path: string, { name, handle, route }: StackLayer): LiveLayer[] {
  const known = layerOf(handle)
  if (known?.is === 'routes') {
    return known.index.routes.map(({ method, path: own, handle }) => {
      return { is: 'route', method, path: path + own, name: handle.name, handle, known: layerOf(handle) }
    })
  }
  if (route !== undefined) return routesOf(path || '/', route.stack)
  if (handle.stack !== undefined) return layersBelow(path, handle.stack)
  return [{ is: 'middleware', method: 'ALL', path: path || '/', name, handle, known }]
}

function routesOf(path: string, stack: readonly RouteLayer[]): LiveLayer[] {
  const byMethod = Map.groupBy(stack, ({ method }) => method?.toUpperCase() ?? 'ALL')
  // Express adds one layer for each method of Node to `app.all`.
  const isForAll = METHODS.every((method) => byMethod.has(method))
  return [...(isForAll ? new Map([['ALL', stack]]) : byMethod)].flatMap(([method, [first, ...others]]) => {
    if (first === undefined) return []
    const { handle } = first
    const known = others.length === 0 ? layerOf(handle) : undefined
    return { is: 'route', method, path, name: handle.name, handle, known }
  })
}

/** Returns the declared path. A pattern or a list of paths is returned as text. */
function pathOf({ rawPath = '?' }: StackLayer): string {
  return rawPath === '/' ? '' : Array.isArray(rawPath) ? `(${rawPath.join('|')})` : String(rawPath)
}
