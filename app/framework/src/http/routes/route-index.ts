import { HttpError } from '../errors.ts'

/** The values of a path's parameters, decoded. That of `*rest` is a list of segments. */
export type RouteParams = Record<string, string | string[]>

/** A route in an index. */
export interface IndexedRoute<Handle> {
  readonly method: string
  readonly path: string
  readonly handle: Handle
}

/** The result of a lookup: a route with its parameters, or only the methods of the path. */
export type RouteMatch<Handle> =
  | { readonly route: IndexedRoute<Handle>; readonly params: RouteParams }
  | { readonly route: null; readonly methods: readonly string[] }

const PARAM = /^:\w+$/
const REST = /^\*\w+$/
const FIXED = /^[^:*{}()[\]!+?\\]+$/

/** A parameter, and which segment of the path has its value. */
interface Param {
  readonly name: string
  readonly at: number
  readonly isRest: boolean
}

interface Entry<Handle> {
  readonly route: IndexedRoute<Handle>
  readonly params: readonly Param[]
}

/** A segment of the paths, with the segments and the routes after it. */
class Segment<Handle> {
  readonly fixed = new Map<string, Segment<Handle>>()
  any: Segment<Handle> | undefined
  /** The routes whose path ends here, by method. */
  readonly routes = new Map<string, Entry<Handle>>()
  /** The routes whose path ends with `*rest` here. */
  readonly rests = new Map<string, Entry<Handle>>()
}

/**
 * Routes by their paths, so that a request costs one lookup, however many routes there are. A path has fixed segments and
 * parameters (`/posts/:id`), and may end with `*rest` for one or more further segments. A fixed segment takes precedence
 * over a parameter. The slash at the end of a request's path doesn't matter, its case does.
 */
export class RouteIndex<Handle> {
  readonly #root = new Segment<Handle>()
  readonly #routes: IndexedRoute<Handle>[] = []

  get routes(): readonly IndexedRoute<Handle>[] {
    return this.#routes
  }

  /** Adds a route. Throws for a path with another pattern, and if the index has the route. */
  add(route: IndexedRoute<Handle>): void {
    const { method, path } = route
    const segments = segmentsOf(path)
    const isRest = REST.test(segments.at(-1) ?? '')
    const end = (isRest ? segments.slice(0, -1) : segments).reduce((at, name) => {
      if (PARAM.test(name)) return (at.any ??= new Segment())
      if (!FIXED.test(name)) throw unsupported(route)
      const next = at.fixed.get(name) ?? new Segment()
      at.fixed.set(name, next)
      return next
    }, this.#root)
    const routes = isRest ? end.rests : end.routes
    if (routes.has(method)) throw new Error(`${method} ${path} is mounted twice. Remove one.`)
    routes.set(method, { route, params: paramsIn(segments) })
    this.#routes.push(route)
  }

  /** Returns what matches a request; null if no route has its path. HEAD matches the route of GET. */
  find(method: string, path: string): RouteMatch<Handle> | null {
    const segments = segmentsOf(path)
    const entryOf = (name: string) => firstEnd(this.#root, segments, (routes) => routes.has(name))?.get(name)
    const entry = entryOf(method) ?? (method === 'HEAD' ? entryOf('GET') : undefined)
    if (entry !== undefined) return { route: entry.route, params: valuesOf(entry.params, segments) }
    const routes = firstEnd(this.#root, segments, () => true)
    return routes === undefined ? null : { route: null, methods: [...routes.keys()] }
  }
}

type RoutesByMethod<Handle> = ReadonlyMap<string, Entry<Handle>>

/** Returns the routes of the first path, the most specific first, that matches the segments and that `accepts` accepts. */
function firstEnd<Handle>(
  at: Segment<Handle>,
  segments: readonly string[],
  accepts: (routes: RoutesByMethod<Handle>) => boolean,
  index = 0,
): RoutesByMethod<Handle> | undefined {
  const name = segments[index]
  if (name === undefined) return at.routes.size > 0 && accepts(at.routes) ? at.routes : undefined
  const fixed = at.fixed.get(name)
  const found = fixed && firstEnd(fixed, segments, accepts, index + 1)
  if (found !== undefined || name === '') return found
  const below = at.any && firstEnd(at.any, segments, accepts, index + 1)
  if (below !== undefined) return below
  return at.rests.size > 0 && accepts(at.rests) ? at.rests : undefined
}

/** `/posts/7/` has the segments `posts` and `7`, and `/` has none. */
function segmentsOf(path: string): string[] {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return end < 1 ? [] : path.slice(1, end).split('/')
}

const paramsIn = (segments: readonly string[]): Param[] =>
  segments.flatMap((segment, at) => {
    const isRest = REST.test(segment)
    return isRest || PARAM.test(segment) ? [{ name: segment.slice(1), at, isRest }] : []
  })

function valuesOf(params: readonly Param[], segments: readonly string[]): RouteParams {
  const values = Object.create(null) as RouteParams
  for (const { name, at, isRest } of params)
    values[name] = isRest ? segments.slice(at).map(decoded) : decoded(segments[at] as string)
  return values
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new HttpError(400, 'bad_request')
  }
}

const unsupported = ({ method, path }: IndexedRoute<unknown>) =>
  new Error(
    `${method} ${path} has a pattern that routes don't support. Use fixed segments and parameters like '/posts/:id', and '*rest' at the end.`,
  )
