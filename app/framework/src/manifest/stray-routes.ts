import type { Application } from 'express'
import { layerOf } from '../http/routes/layers.ts'
import type { ListedRoute, Routes } from '../http/routes/route-types.ts'
import { listRoutes } from '../http/routes/routes.ts'
import { type LiveLayer, liveLayers } from './live-layers.ts'
import { routeFacts } from './route-facts.ts'

/** A mounted handler that is not in a route table. */
export interface StrayRoute {
  readonly method: string
  readonly path: string
  readonly name: string
}

/**
 * Returns the routes that are mounted in the application but are not in one of these tables. No access guard protects
 * them.
 */
export function strayRoutes(app: Application, tables: readonly Routes[]): StrayRoute[] {
  const expected = new Set(listRoutes(tables).map(identityOf))
  return liveLayers(app).flatMap((layer) => {
    if (layer.is === 'middleware') return isPlain(layer) ? [] : [stray('ALL', layer)]
    const route = tableRoute(layer)
    // Each route of a table may be mounted once. A second mount counts as a stray route.
    if (route === undefined ? isFramework(layer) : expected.delete(identityOf(route))) return []
    return [stray(layer.method, layer)]
  })
}

/** Returns an error message for each stray route. */
export function straySentences(strays: readonly StrayRoute[]): string[] {
  return strays.map(
    ({ method, path, name }) =>
      `${method} ${path} (${name}) is not in a route table, so no access guard protects it. Move it into a route table: ` +
      `routes(…, { '${method === 'ALL' ? 'GET' : method} …': [secured(), …] }).`,
  )
}

type LiveRoute = Extract<LiveLayer, { is: 'route' }>
type Middleware = Extract<LiveLayer, { is: 'middleware' }>

/** Returns the route of a table that is mounted at its path. */
function tableRoute({ method, path, handles }: LiveRoute): ListedRoute | undefined {
  const [layer, ...others] = handles.map(layerOf)
  if (layer?.is !== 'route' || others.length > 0) return undefined
  const { route } = layer
  return route.method === method && route.path === path ? route : undefined
}

/** Returns whether the framework added the route: a health check or the assets. */
const isFramework = ({ handles }: LiveRoute): boolean =>
  handles.every((handle) => layerOf(handle)?.is === 'framework route')

/** Returns whether a middleware runs for every request. Others, and mounted applications, can respond like a route. */
const isPlain = ({ path, name }: Middleware): boolean => path === '/' && name !== 'mounted_app'

const identityOf = (route: ListedRoute): string => JSON.stringify(routeFacts(route))

function stray(method: string, layer: LiveLayer): StrayRoute {
  const name =
    layer.is === 'middleware' ? layer.name : ((layer.handles as { name?: string }[])[0]?.name ?? '')
  return {
    method,
    path: layer.path,
    name: name === '' || name === '<anonymous>' ? 'an anonymous function' : name,
  }
}
