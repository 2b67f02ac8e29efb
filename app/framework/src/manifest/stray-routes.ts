import type { Application } from 'express'
import type { ListedRoute, Routes } from '../http/routes/route-types.ts'
import { listRoutes } from '../http/routes/routes.ts'
import { type LiveLayer, liveLayers } from './live-layers.ts'
import { routeFacts } from './route-facts.ts'

/** A mounted handler that is not in a route table. */
export type StrayRoute = Pick<LiveLayer, 'method' | 'path' | 'name'>

/**
 * Returns the routes that are mounted in the application but are not in one of these tables. No access guard protects
 * them.
 */
export function strayRoutes(app: Application, tables: readonly Routes[]): StrayRoute[] {
  const expected = new Set(listRoutes(tables).map(identityOf))
  return liveLayers(app)
    .filter((layer) => !isExpected(layer, expected))
    .map(({ method, path, name }) => ({
      method,
      path,
      name: name === '' || name === '<anonymous>' ? 'an anonymous function' : name,
    }))
}

const identityOf = (route: ListedRoute): string => JSON.stringify(routeFacts(route))

/** Each route of a table may be mounted once, at its own path. */
function isExpected({ is, method, path, name, known }: LiveLayer, expected: Set<string>): boolean {
  // Other middleware, and mounted applications, can respond like a route.
  if (is === 'middleware') return path === '/' && name !== 'mounted_app'
  if (known?.is !== 'route') return known?.is === 'framework route'
  const { route } = known
  return route.method === method && route.path === path && expected.delete(identityOf(route))
}

/** Returns an error message for each stray route. */
export function straySentences(strays: readonly StrayRoute[]): string[] {
  return strays.map(
    ({ method, path, name }) =>
      `${method} ${path} (${name}) is not in a route table, so no access guard protects it. Move it into a route table: ` +
      `routes(…, { '${method === 'ALL' ? 'GET' : method} …': [secured(), …] }).`,
  )
}
