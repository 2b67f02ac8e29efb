import type { Application } from 'express'
import { layerOf } from '../http/layers.ts'
import type { ListedRoute, Routes } from '../http/route-types.ts'
import { listRoutes } from '../http/routes.ts'
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
  const identityOf = (route: ListedRoute) => JSON.stringify(routeFacts(route))
  const expected = new Set(listRoutes(tables).map(identityOf))
  return liveLayers(app)
    .filter((layer) => {
      // Other middleware, and mounted applications, can respond like a route.
      if (layer.is === 'middleware') return layer.path !== '/' || layer.name === 'mounted_app'
      const route = tableRoute(layer)
      // Each route of a table may be mounted once. A second mount counts as a stray route.
      return route === undefined ? !isFramework(layer) : !expected.delete(identityOf(route))
    })
    .map(stray)
}

/** Returns an error message for each stray route. */
export function straySentences(strays: readonly StrayRoute[]): string[] {
  return strays.map(
    ({ method, path, name }) =>
      `${method} ${path} (${name}) is not in a route table, so no access guard protects it. Move it into a route table: ` +
      `routes(…, { '${method === 'ALL' ? 'GET' : method} …': [secured(), …] }).`,
  )
}

/** Returns the route of a table that is mounted at its path. */
function tableRoute({ method, path, handles }: LiveLayer): ListedRoute | undefined {
  const [layer, ...others] = handles.map(layerOf)
  if (layer?.is !== 'route' || others.length > 0) return undefined
  const { route } = layer
  return route.method === method && route.path === path ? route : undefined
}

/** Returns whether the framework added the route: a health check or the assets. */
const isFramework = ({ handles }: LiveLayer): boolean =>
  handles.every((handle) => layerOf(handle)?.is === 'framework route')

const stray = ({ method, path, name }: LiveLayer): StrayRoute => ({
  method,
  path,
  name: name === '' || name === '<anonymous>' ? 'an anonymous function' : name,
})
