import type { Application, RequestHandler } from 'express'
import { declaredAt } from '../resource/declared-at.ts'
import { defaultGuards } from './default-guards.ts'
import { HttpError } from './errors.ts'
import { markLayer } from './layers.ts'
import type { Guard, Handler, ListedRoute, Route, RouteKey, Routes, RouteTable } from './route-types.ts'
import { loadExpress } from './server-packages.ts'
import { httpSettings } from './settings.ts'

/** Marks and freezes a guard of the framework. */
export const builtInGuard = <Made extends Guard>(guard: Made): Made =>
  Object.freeze({ ...guard, isBuiltIn: true })

/**
 * Declares the routes below a path, as a value: nothing is mounted yet. Each route is a list of guards that begins
 * with `publicRoute()` or `secured()` and ends with the handler.
 *
 * ```ts
 * export const postRoutes = routes('/posts', {
 *   'GET /': [publicRoute(), index],
 *   'PUT /:id': [secured(), load(Post), authorize('update', Post), update],
 * })
 * ```
 */
export function routes<const Base extends string, Key extends RouteKey>(
  base: Base,
  table: RouteTable<Key>,
): Routes<Base, Key> {
  return Object.freeze({ base, table: Object.freeze({ ...table }), declaredAt: declaredAt(routes) })
}

/** Returns every route of these tables, in the order in which `mount` mounts them. */
export function listRoutes(tables: readonly Routes[]): ListedRoute[] {
  return tables.flatMap((table) =>
    Object.entries<Route>(table.table).map(([key, steps]) => {
      const { method, path } = routeAt(table, key)
      const guards = steps.slice(0, -1) as Guard[]
      return { method, path, guards, handler: steps.at(-1) as Handler, key, table }
    }),
  )
}

/**
 * Checks every route and mounts the tables in Express, in their order. Call it after `useHttp` and
 * `useAuthorization`.
 *
 * Throws a sentence with the remedy if a route has no access guard or two of them, if a guard can't work in its
 * position, if two tables have the same route, and if the JSON API of a repository is not below `apiPrefix`. A path
 * answers its other methods with a 405.
 */
export function mount(app: Application, tables: readonly Routes[]): void {
  const router = loadExpress().Router({ caseSensitive: true })
  const paths = new Map<string, Set<string>>()
  for (const table of tables) checkApiBase(app, table)
  for (const route of listRoutes(tables)) {
    const { method, path } = route
    checkRoute(app, route)
    const methods = paths.get(path) ?? new Set()
    if (methods.has(method)) throw new Error(`${method} ${path} is in two route tables. Remove one.`)
    paths.set(path, methods.add(method))
    router.route(path)[verb(method)](...steps(route, defaultGuards(app, route)))
  }
  // After all routes, so that PUT /posts/new matches PUT /posts/:id before it is refused as a method of /posts/new.
  for (const [path, methods] of paths) router.all(path, otherMethods(methods))
  app.use(router)
}

/** Outside the prefix, errors would be rendered as pages, and the body would be read as a form. */
function checkApiBase(app: Application, { base, declaredAt, isApi }: Routes): void {
  if (isApi !== true) return
  const { apiPrefix } = httpSettings(app)
  if (base.startsWith(`${apiPrefix}/`)) return
  throw new Error(
    `${declaredAt}: the repository has api: '${base}', which is not below the application's apiPrefix, '${apiPrefix}'. ` +
      `Change api to '${apiPrefix}/…', or pass another apiPrefix to useHttp.`,
  )
}

/** Returns the method and the full path of a key: `GET /` below `/posts` is `GET` and `/posts`. */
export function routeAt({ base }: Routes, key: string): { method: string; path: string } {
  const [method = '', path = ''] = key.split(' ')
  return { method, path: base + (path === '/' && base !== '' ? '' : path) }
}

function checkRoute(app: Application, { method, path, guards, handler }: ListedRoute): void {
  const name = `${method} ${path}`
  if (guards[0]?.kind !== 'access' || typeof handler !== 'function') {
    throw new Error(
      `${name} has no access guard. Begin its list with secured() or publicRoute(), end it with the handler.`,
    )
  }
  guards.forEach((guard, index) => {
    if (index > 0 && guard.kind === 'access') throw new Error(`${name} has two access guards. Remove one.`)
    checkKind(name, guard)
    try {
      guard.check?.(guards.slice(0, index), app, path)
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
    }
  })
  const has = (kind: string) => guards.some((guard) => guard.kind === kind)
  if (has('load') && !has('authorize')) {
    throw new Error(
      `${name} loads a record, but authorizes no action on it. Put authorize('show', …) after load(…).`,
    )
  }
}

/** The kinds whose guards `mount` and the manifest read, with the function that returns them. */
const RESERVED_KINDS = new Map([
  ['access', 'secured() or publicRoute()'],
  ['load', 'load()'],
  ['authorize', 'authorize()'],
  ['limit', 'limit()'],
])

/** Throws for a guard of the application that would be taken for one of the framework, since it has the same kind. */
function checkKind(name: string, { kind, isBuiltIn }: Guard): void {
  const maker = RESERVED_KINDS.get(kind)
  if (maker === undefined || isBuiltIn === true) return
  throw new Error(
    `${name} has a guard of its own with the kind '${kind}', which is reserved for ${maker}. Use another kind.`,
  )
}

const verb = (method: string) => method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'

function steps(route: ListedRoute, defaults: readonly Guard[]): RequestHandler[] {
  const prepared = route.guards.filter((guard) => guard.isBuiltIn && 'prepare' in guard)
  const guards = route.guards.map((guard, index): RequestHandler => async (req, res, next) => {
    if (index === 0) for (const each of prepared) await each.prepare?.(req, res)
    // The client has left before its body was complete.
    if (req.destroyed && !req.complete) return
    await guard.run(req, res)
    // Behind the access guard, and in its handler: the manifest compares the mounted handlers with the route table.
    if (index === 0) for (const each of defaults) await each.run(req, res)
    if (!res.headersSent) next()
  })
  const last: RequestHandler = (req, res) => route.handler(req, res)
  return [...guards, last].map((step) => markLayer(step, { is: 'route', route }))
}

/** Returns a handler that answers 405. `Allow` depends on the route alone, never on the record or the caller. */
function otherMethods(methods: ReadonlySet<string>): RequestHandler {
  const allow = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  const handler: RequestHandler = (req, res) => {
    if (req.method !== 'OPTIONS')
      throw new HttpError(405, 'method_not_allowed', { headers: { Allow: allow } })
    res.set('Allow', allow).status(204).end()
  }
  return markLayer(handler, { is: 'other methods' })
}
