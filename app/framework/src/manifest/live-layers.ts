import type { Application } from 'express'
import { layerOf } from '../http/routes/layers.ts'
import { METHODS } from '../http/node-http.ts'

/** A function in the Express stack. `path` is where it is mounted, including the paths of its parent routers. */
export type LiveLayer =
  | { readonly is: 'middleware'; readonly path: string; readonly name: string; readonly handle: object }
  | { readonly is: 'route'; readonly path: string; readonly method: string; readonly handles: object[] }

/** The layer that Express creates for each `use` and for each route. */
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
  /** The functions of `app.param`, by the parameter. */
  readonly params: Readonly<Record<string, readonly { name: string }[]>>
}

const routerOf = (app: Application): Stack => (app as unknown as { router: Stack }).router

/** Returns the layers of an application, with those of its pipelines. */
export const stackOf = (app: Application): readonly StackLayer[] => withSteps(routerOf(app).stack)

/** Replaces each pipeline by its steps. */
export function withSteps(stack: readonly StackLayer[]): readonly StackLayer[] {
  return stack.flatMap((layer) => {
    const known = layerOf(layer.handle)
    if (known?.is !== 'pipeline') return [layer]
    const { rawPath } = layer
    const match = layer.match.bind(layer)
    const steps = known.steps as readonly StackLayer['handle'][]
    return withSteps(
      steps.map((handle) => ({ name: (handle as { name: string }).name, rawPath, handle, match })),
    )
  })
}

/** Returns all functions in the stack of an application, including those of nested routers. */
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
  const layers = withSteps(stack).flatMap((layer): LiveLayer[] => {
    const path = prefix + pathOf(layer)
    const known = layerOf(layer.handle)
    if (known?.is === 'routes') {
      return known.index.routes.map(({ method, path: route, handle }) => ({
        is: 'route',
        path: path + route,
        method,
        handles: [handle],
      }))
    }
    if (layer.route !== undefined) return routesOf(path || '/', layer.route.stack)
    if (layer.handle.stack !== undefined) return layersBelow(path, layer.handle as Stack)
    return [{ is: 'middleware', path: path || '/', name: layer.name, handle: layer.handle }]
  })
  return [...hooks, ...layers]
}

function routesOf(path: string, stack: readonly RouteLayer[]): LiveLayer[] {
  const byMethod = Map.groupBy(stack, ({ method }) => method?.toUpperCase() ?? 'ALL')
  // Express adds one layer for each method of Node to `app.all`.
  const isForAll = METHODS.every((method) => byMethod.has(method))
  return [...(isForAll ? new Map([['ALL', stack]]) : byMethod)].map(([method, layers]) => ({
    is: 'route' as const,
    path,
    method,
    handles: layers.map(({ handle }) => handle),
  }))
}

/** Returns the declared path. A pattern or a list of paths is returned as text. */
function pathOf({ rawPath = '?' }: StackLayer): string {
  return rawPath === '/' ? '' : Array.isArray(rawPath) ? `(${rawPath.join('|')})` : String(rawPath)
}
