import {
  guardInWords,
  type ListedRoute,
  listRoutes,
  matchRoute,
  routeFacts,
  rulesAsked,
} from 'pergola/manifest'
import type { Guard, Resource } from 'pergola'
import type { Registry } from 'pergola/app'
import type { ProductionApp } from '#app/manifest.ts'
import { locateFunction } from 'pergola/dev'
import { locateRoute } from './locate.ts'

export type Policies = Registry['policies']

/** Explains step by step how one request is handled. Throws with a suggestion if no route matches. */
export function requestInfo(
  { app, tables }: ProductionApp,
  policies: Policies,
  words: readonly string[],
): string {
  const { method, path } = parseRequest(words)
  const match = matched(() => matchRoute(app, method, path))
  if (match?.is === 'route') return routeInfo(match.route, policies)
  if (match?.is === 'framework') return `The framework handles ${method} ${path}: ${match.name}.`
  throw new Error(
    match === null
      ? `No route matches ${method} ${path}. ${suggestion(listRoutes(tables), path)}`
      : `${path} does not support ${method}. ${otherMethods({ app, tables }, path)}`,
  )
}

/** Parses `GET /posts/7`, in one word or two. The method defaults to GET. */
function parseRequest(words: readonly string[]): { method: string; path: string } {
  const [first = '', second] = words.join(' ').trim().split(/\s+/)
  const [method, address] = second === undefined ? ['GET', first] : [first.toUpperCase(), second]
  // Removes the origin, the query and the hash of a full URL.
  const path = address.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/s, '')
  if (!path.startsWith('/'))
    throw new Error(`“${words.join(' ')}” is not a request. Use the form 'GET /posts/7'.`)
  return { method, path }
}

function matched<Result>(match: () => Result): Result {
  try {
    return match()
  } catch (error) {
    throw new Error('The path contains an invalid % escape. The server responds with 400.', { cause: error })
  }
}

function routeInfo(route: ListedRoute, policies: Policies): string {
  const { handler, guards, path } = route
  const { name } = routeFacts(route)
  const steps = [
    ...guards.map((guard) => guardLines(guard, policies).join('\n     ')),
    `runs the handler ${handler.name || '(anonymous)'}\n     ${locateFunction(handler)}`,
  ]
  return [
    `${route.method} ${path}  ${name}`,
    `  defined at ${locateRoute(route)}`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ].join('\n')
}

function guardLines(guard: Guard, policies: Policies): string[] {
  const { kind, action, resource } = guard as Guard & { action: string; resource: Resource }
  const words = guardInWords(guard)
  if (kind !== 'authorize') return [words]
  const policy = policies.get(resource)
  const rules = policy === undefined ? [] : rulesAsked(policy, action)
  if (rules.length === 0) return [words, 'no rule exists, so the request is denied']
  const placeOf = ({ rule, inScope }: (typeof rules)[number]) =>
    inScope === null ? locateFunction(rule) : `${inScope} (${policy?.declaredAt})`
  return [words, ...rules.map((asked) => `${asked.key} ${verb(asked.key)}: ${placeOf(asked)}`)]
}

const VERBS: Record<string, string> = { before: 'runs first', canBecome: 'runs before the record is stored' }
const verb = (key: string): string => VERBS[key] ?? 'decides'

function otherMethods({ app, tables }: Pick<ProductionApp, 'app' | 'tables'>, path: string): string {
  const methods = new Set(listRoutes(tables).map(({ method }) => method))
  const supported = [...methods].filter((method) => matchRoute(app, method, path)?.is === 'route')
  return `Supported methods: ${supported.toSorted().join(', ')}.`
}

/** Suggests the route with the longest common prefix. */
function suggestion(routes: readonly ListedRoute[], path: string): string {
  const commonLength = (route: ListedRoute) => {
    const [one, other] = [route.path.split(/(?<=\/)|/), path.split(/(?<=\/)|/)]
    const differs = one.findIndex((letter, index) => letter !== other[index])
    return differs < 0 ? one.length : differs
  }
  const nearest = routes.toSorted((one, other) => commonLength(other) - commonLength(one))[0]
  // All paths have at least the slash in common.
  if (nearest === undefined || commonLength(nearest) < 2) return '`npx cli routes` lists all routes.'
  return `Did you mean ${nearest.method} ${nearest.path}?`
}
