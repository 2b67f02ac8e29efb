import { METHODS } from 'node:http'
import type { Application } from 'express'

/** A function that requests pass, in the order in which they do. `path` is where it is mounted, its routers' included. */
export type LiveLayer =
  | { readonly is: 'middleware'; readonly path: string; readonly name: string; readonly handle: object }
  | { readonly is: 'route'; readonly path: string; readonly method: string; readonly handles: object[] }

/** What Express keeps for each `use`, and for each route. */
export interface StackLayer {
  readonly name: string
  readonly rawPath?: unknown
  readonly handle: object & { readonly stack?: readonly StackLayer[] }
  readonly route?: { readonly stack: readonly RouteLayer[]; _handlesMethod(method: string): boolean }
  match(path: string): false | { readonly path: string }
}

interface RouteLayer {
  readonly method: string | undefined
  readonly handle: object
}

interface Stack {
  readonly stack: readonly StackLayer[]
  /** What runs when a path has a parameter of this name. */
  readonly params: Readonly<Record<string, readonly { name: string }[]>>
}

const routerOf = (app: Application): Stack => (app as unknown as { router: Stack }).router

export const stackOf = (app: Application): readonly StackLayer[] => routerOf(app).stack

/** Everything in the stack of an application, nested routers opened. What a function does inside can't be seen. */
export function liveLayers(app: Application): LiveLayer[] {
  return layersBelow('', routerOf(app))
}

function layersBelow(prefix: string, { stack, params }: Stack): LiveLayer[] {
  const hooks = Object.entries(params).flatMap(([param, handles]) =>
    handles.map((handle) => ({
      is: 'middleware' as const,
      path: '/',
      name: `${handle.name} for :${param}`,
      handle,
    })),
  )
  const layers = stack.flatMap((layer): LiveLayer[] => {
    const path = prefix + pathOf(layer)
    if (layer.route !== undefined) return routesOf(path || '/', layer.route.stack)
    if (layer.handle.stack !== undefined) return layersBelow(path, layer.handle as Stack)
    return [{ is: 'middleware', path: path || '/', name: layer.name, handle: layer.handle }]
  })
  return [...hooks, ...layers]
}

function routesOf(path: string, stack: readonly RouteLayer[]): LiveLayer[] {
  const byMethod = Map.groupBy(stack, ({ method }) => method?.toUpperCase() ?? 'ALL')
  // `app.all` is kept as one layer for each method that Node knows.
  const isForAll = METHODS.every((method) => byMethod.has(method))
  return [...(isForAll ? new Map([['ALL', stack]]) : byMethod)].map(([method, layers]) => ({
    is: 'route' as const,
    path,
    method,
    handles: layers.map(({ handle }) => handle),
  }))
}

/** As it was written; a pattern, or a list of paths, as its text. */
function pathOf({ rawPath = '?' }: StackLayer): string {
  return rawPath === '/' ? '' : Array.isArray(rawPath) ? `(${rawPath.join('|')})` : String(rawPath)
}
