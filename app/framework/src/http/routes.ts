import type { Application, Request, RequestHandler, Response } from 'express'
import { declaredAt } from '../resource/declared-at.ts'
import { HttpError } from './errors.ts'
import { know } from './known-layers.ts'
import { loadExpress } from './server-packages.ts'
import { httpSettingsOf } from './settings.ts'

/** The last step of a route: it sends the response. Thrown errors and rejections reach `errorPage`. */
export type Handler = (req: Request, res: Response) => void | Promise<void>

/**
 * A step of a route before its handler. `run` throws, sends a response, or lets the request continue. An application
 * may write its own:
 *
 * ```ts
 * const throttled: Guard = { kind: 'throttle', run: (req) => void takeToken(req.ip ?? '') }
 * ```
 */
export interface Guard {
  /** A name for the security manifest. */
  readonly kind: string
  run(req: Request, res: Response): void | Promise<void>
  /** Called once by `mount`: throws a sentence if the guard can't work in this route. */
  check?(before: readonly Guard[], app: Application, path: string): void
}

const genuine = new WeakSet<Guard>()

/** Freezes a guard of the framework's own and remembers it, so that no other passes for it by its kind. */
export function guard<Made extends Guard>(made: Made): Made {
  Object.freeze(made)
  genuine.add(made)
  return made
}

/** Whether the framework made this very guard; a copy of one may do anything. */
export const isGenuine = (given: Guard): boolean => genuine.has(given)

/** The first step of every route: who may come in at all. Made by `secured()` and `publicRoute()`. */
export interface Access extends Guard {
  readonly kind: 'access'
  readonly access: 'secured' | 'public'
  readonly roles: readonly string[]
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = readonly [Access, ...Guard[], Handler]

/** The routes of a table by their method and path: `{ 'GET /:id': [publicRoute(), show] }`. */
export type RouteTable = { readonly [Key in `${Method} /${string}`]: Route }

/** A route table, as `routes()` returns it. */
export interface Routes {
  /** The path that all of its routes begin with. */
  readonly base: string
  readonly table: RouteTable
  /** Where it is declared, as `file:line`. */
  readonly declaredAt: string
  /** The JSON API of a repository: its base has to be below the application's `apiPrefix`. */
  readonly isApi?: true
}

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
export function routes(base: string, table: RouteTable): Routes {
  return Object.freeze({ base, table: Object.freeze({ ...table }), declaredAt: declaredAt(routes) })
}

/** A route of a table with its full path. */
export interface ListedRoute {
  readonly method: string
  readonly path: string
  readonly guards: readonly Guard[]
  readonly handler: Handler
  /** The key in its table: `PUT /:id`. */
  readonly key: string
  readonly table: Routes
}

/** Returns every route of these tables, in the order in which `mount` mounts them. */
export function listRoutes(tables: readonly Routes[]): ListedRoute[] {
  return tables.flatMap((table) =>
    Object.entries<Route>(table.table).map(([key, steps]) => {
      const [method, path] = split(key, table.base)
      const guards = steps.slice(0, -1) as Guard[]
      return { method, path, guards, handler: steps.at(-1) as Handler, key, table }
    }),
  )
}

/**
 * Checks every route and mounts the tables in Express, in their order. Call it after `useHttp` and
 * `useAuthorization`.
 *
 * Throws a sentence with the remedy if a route has no access guard or two of them, if a guard can't work where it
 * stands, if two tables have the same route, and if the JSON API of a repository is not below `apiPrefix`. A path
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
    router.route(path)[verb(method)](...steps(route))
  }
  // After all routes: PUT /posts/new is a PUT of /posts/:id before it is a method that /posts/new lacks.
  for (const [path, methods] of paths) router.all(path, otherMethods(methods))
  app.use(router)
}

/** Outside of the prefix, errors would be pages, and the body would be read as a form. */
function checkApiBase(app: Application, { base, declaredAt, isApi }: Routes): void {
  if (isApi !== true) return
  const { apiPrefix } = httpSettingsOf(app)
  if (base.startsWith(`${apiPrefix}/`)) return
  throw new Error(
    `${declaredAt}: the repository has api: '${base}', which is not below the application's apiPrefix, '${apiPrefix}'. ` +
      `Change api to '${apiPrefix}/…', or pass another apiPrefix to useHttp.`,
  )
}

function split(key: string, base: string): [method: string, path: string] {
  const [method = '', path = ''] = key.split(' ')
  return [method, base + (path === '/' && base !== '' ? '' : path)]
}

function checkRoute(app: Application, { method, path, guards, handler }: ListedRoute): void {
  const name = `${method} ${path}`
  if (guards[0]?.kind !== 'access' || typeof handler !== 'function') {
    throw new Error(
      `${name} has no access guard. Begin its list with secured() or publicRoute(), end it with the handler.`,
    )
  }
  guards.forEach((guard, index) => {
    if (index > 0 && guard.kind === 'access')
      throw new Error(`${name} has two access guards. Keep the one that is meant.`)
    checkGenuine(name, guard)
    try {
      guard.check?.(guards.slice(0, index), app, path)
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
    }
  })
}

/** What the makers of these kinds are called. */
const MAKERS = new Map([
  ['access', 'secured() or publicRoute()'],
  ['load', 'load()'],
  ['authorize', 'authorize()'],
])

function checkGenuine(name: string, guard: Guard): void {
  const maker = MAKERS.get(guard.kind)
  if (maker === undefined || isGenuine(guard)) return
  throw new Error(
    `${name} has a guard that says it is of kind '${guard.kind}', and ${maker} didn't make it. ` +
      `Use what ${maker} returns as it is, or give a guard of your own another kind.`,
  )
}

const verb = (method: string) => method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'

function steps(route: ListedRoute): RequestHandler[] {
  const guards = route.guards.map((guard): RequestHandler => async (req, res, next) => {
    await guard.run(req, res)
    if (!res.headersSent) next()
  })
  const last: RequestHandler = (req, res) => route.handler(req, res)
  return [...guards, last].map((step) => know(step, { is: 'route', route }))
}

/** What a path doesn't answer to: 405. `Allow` depends on the route alone, never on the record or the caller. */
function otherMethods(methods: ReadonlySet<string>): RequestHandler {
  const allow = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  const answer: RequestHandler = (req, res) => {
    if (req.method !== 'OPTIONS')
      throw new HttpError(405, 'method_not_allowed', { headers: { Allow: allow } })
    res.set('Allow', allow).status(204).end()
  }
  return know(answer, { is: 'other methods' })
}
