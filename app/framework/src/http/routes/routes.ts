import type { Application, Request, RequestHandler, Response } from 'express'
import { declaredAt } from '../../resource/declared-at.ts'
import { HttpError } from '../errors.ts'
import { pathnameOf } from '../cheap-requests.ts'
import { markLayer } from './layers.ts'
import { RouteIndex } from './route-index.ts'
import { type RunRoute, runOf } from './run-route.ts'
import type { Guard, Handler, ListedRoute, Route, RouteKey, Routes, RouteTable } from './route-types.ts'
import { httpSettings } from '../settings.ts'

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
 * Checks every route and mounts the tables in Express, as one middleware: a request costs one lookup. Call it after
 * `useHttp` and `useAuthorization`. A route runs the guards that `guardsFor` returns directly
 * behind its access guard.
 *
 * Throws a sentence with the remedy if a route has no access guard or two of them, if a guard can't work in its
 * position, if two tables have the same route, and if the JSON API of a repository is not below `apiPrefix`. A path
 * answers its other methods with a 405.
 */
export function mount(
  app: Application,
  tables: readonly Routes[],
  guardsFor: (route: ListedRoute) => readonly Guard[] = () => [],
): void {
  for (const table of tables) checkApiBase(app, table)
  const index = new RouteIndex<RunRoute>()
  for (const route of listRoutes(tables)) {
    const { method, path } = route
    checkRoute(app, route)
    index.add({
      method,
      path,
      handle: markLayer(runOf(route, guardsFor(route)), { is: 'route', route }),
    })
  }
  app.use(dispatcher(index))
}

/** Returns middleware with routes of the framework itself, which have no guards: `{ 'GET /livez': livez }`. */
export function frameworkRoutes(handlers: Readonly<Record<RouteKey, Handler>>): RequestHandler {
  const index = new RouteIndex<RunRoute>()
  for (const [key, handler] of Object.entries<Handler>(handlers)) {
    const [method = '', path = ''] = key.split(' ')
    const run = { [handler.name]: async (req: Request, res: Response) => handler(req, res) }[handler.name]
    index.add({ method, path, handle: markLayer(run as RunRoute, { is: 'framework route' }) })
  }
  return dispatcher(index)
}

/** Returns middleware that runs the route of a request, and that lets requests for other paths continue. */
function dispatcher(index: RouteIndex<RunRoute>): RequestHandler {
  const dispatch: RequestHandler = function routes(req, res, next) {
    const found = index.find(req.method, pathnameOf(req))
    if (found === null) return next()
    if (found.route === null) return answerOtherMethod(found.methods, req, res)
    req.params = found.params as Request['params']
    req.route = found.route
    found.route.handle(req, res).catch((error: unknown) => next(error || rejected()))
  }
  return markLayer(dispatch, { is: 'routes', index })
}

/** Outside the prefix, errors would be rendered as pages, and the body would be read as a form. */
function checkApiBase(app: Application, { base, declaredAt, isApi }: Routes): void {
  if (isApi !== true) return
  const { apiPrefix } = httpSettings(app)
  if (base.startsWith(`${apiPrefix}/`)) return
  throw new Error(
    `${declaredAt}: the repository has api: '${base}', which is not below the application's apiPrefix, '${apiPrefix}'. ` +
      `Change api to '${apiPrefix}/…', or pass another apiPrefix to webApplication.`,
  )
}

/** Returns the method and the full path of a key: `GET /` below `/posts` is `GET` and `/posts`. */
export function routeAt({ base }: Routes, key: string): { method: string; path: string } {
  const [method = '', path = ''] = key.split(' ')
  return { method, path: base + (path === '/' && base !== '' ? '' : path) }
}

function checkRoute(app: Application, { method, path, guards, handler, table }: ListedRoute): void {
  const name = `${table.declaredAt}: ${method} ${path}`
  if (guards[0]?.kind !== 'access' || typeof handler !== 'function') {
    throw new Error(
      `${name} has no access guard. Begin its list with secured() or publicRoute(), end it with the handler.`,
    )
  }
  guards.forEach((guard, index) => {
    if (index > 0 && guard.kind === 'access') throw new Error(`${name} has two access guards. Remove one.`)
    checkKind(name, guard)
    try {
      guard.check?.(guards.slice(0, index), app, path, guards.slice(index + 1))
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

/** Answers 405. `Allow` depends on the route alone, never on the record or the caller. */
function answerOtherMethod(methods: readonly string[], req: Request, res: Response): void {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  if (req.method !== 'OPTIONS') throw new HttpError(405, 'method_not_allowed', { headers: { Allow: allow } })
  res.set('Allow', allow).status(204).end()
}

/** The error of a promise that was rejected without one, which must not count as success. */
const rejected = () => new Error('A promise was rejected without an error.')
