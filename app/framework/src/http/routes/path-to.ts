import type { RouteKey, Routes } from './route-types.ts'
import { routeAt } from './routes.ts'
import { memoize, weakMemoize } from '../../resource/memoize.ts'

/** The names of the parameters in a path: `/posts/:post/comments/:id` has `post` and `id`. */
type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type PathOf<Table extends Routes, Key> = Key extends `${string} ${infer Path}`
  ? `${Table['base']}${Path}`
  : never

/** The parameters of a route; nothing if its path has none. A record is enough if it has them as properties. */
type PathParams<Path extends string> = [ParamNames<Path>] extends [never]
  ? []
  : [params: { readonly [Name in ParamNames<Path>]: string | number | bigint }]

/**
 * Returns the path of a route, with its parameters encoded. TypeScript checks the key and the names of the
 * parameters:
 *
 * ```ts
 * pathTo(postRoutes, 'GET /') // '/posts'
 * pathTo(postRoutes, 'PUT /:id', post) // '/posts/7'
 * ```
 *
 * In views, `it.pathTo` is the same function, and `it` has the tables that `webApplication` received. Throws if the table
 * lacks the route, and if a parameter is missing.
 */
export function pathTo<Table extends Routes, Key extends RouteKey & keyof Table['table']>(
  table: Table,
  key: Key,
  ...params: PathParams<PathOf<Table, Key>>
): `/${string}` {
  // TypeScript doesn't check the calls in views.
  if ((table as Routes | undefined) === undefined)
    throw new Error(`pathTo(…, '${key}'): the first argument must be a route table.`)
  return compiledPaths(table)(key)(params[0] ?? {})
}

type ToPath = (record: Readonly<Record<string, unknown>>) => `/${string}`

const compiledPaths = weakMemoize((table: Routes) =>
  memoize((key: RouteKey) => compilePath(table, key), Infinity),
)

function compilePath(table: Routes, key: RouteKey): ToPath {
  if (!Object.hasOwn(table.table, key)) throw new Error(unknownRoute(table, key))
  const { path } = routeAt(table, key)
  // `/posts/:id/edit` has the texts `/posts/` and `/edit`, and between them the parameter `id`.
  const [start = '', ...others] = path.split(/[:*](\w+)/)
  return (record) => {
    let made = start
    for (let at = 0; at < others.length; at += 2) {
      const name = others[at] ?? ''
      made += encodeURIComponent(paramText(path, name, record[name])) + others[at + 1]
    }
    return made as `/${string}`
  }
}

function paramText(path: string, name: string, value: unknown): string {
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (isNumber || (typeof value === 'string' && value !== '')) return String(value)
  throw new Error(`The path ${path} needs a text or a number as ${name}, got ${String(value)}.`)
}

function unknownRoute({ base, table }: Routes, key: string): string {
  const keys = Object.keys(table).map((each) => `'${each}'`)
  return `The routes of '${base}' have no '${key}'. They have ${keys.join(', ')}.`
}
