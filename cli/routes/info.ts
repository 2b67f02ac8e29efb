import {
  guardInWords,
  type ListedRoute,
  listRoutes,
  matchRoute,
  routeFacts,
  rulesAsked,
} from 'pergola/manifest'
import type { Guard, Registry, Resource } from 'pergola'
import type { ProductionApp } from '#app/manifest.ts'
import { locateFunction, locateRoute } from './locate.ts'

export type Policies = Registry['policies']

/** What becomes of one request, step by step. Throws a sentence, with what may have been meant, when nothing answers it. */
export function requestInfo(
  { app, tables }: ProductionApp,
  policies: Policies,
  words: readonly string[],
): string {
  const { method, path } = parseRequest(words)
  const match = matched(() => matchRoute(app, method, path))
  if (match?.is === 'route') return routeInfo(match.route, policies)
  if (match?.is === 'elsewhere') return `${method} ${path} is answered by the framework: ${match.name}.`
  throw new Error(
    match === null
      ? `Nothing answers ${method} ${path}. ${suggestion(listRoutes(tables), path)}`
      : `${path} doesn't answer to ${method}. ${otherMethods({ app, tables }, path)}`,
  )
}

/** `GET /posts/7`, as one word or two; without a method it is GET. */
function parseRequest(words: readonly string[]): { method: string; path: string } {
  const [first = '', second] = words.join(' ').trim().split(/\s+/)
  const [method, address] = second === undefined ? ['GET', first] : [first.toUpperCase(), second]
  // The path of a whole address; a question mark ends it.
  const path = address.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/s, '')
  if (!path.startsWith('/'))
    throw new Error(`“${words.join(' ')}” is no request. Say one like 'GET /posts/7'.`)
  return { method, path }
}

function matched<Result>(match: () => Result): Result {
  try {
    return match()
  } catch (error) {
    throw new Error('This path has a % that begins no character; such a request is answered with 400.', {
      cause: error,
    })
  }
}

function routeInfo(route: ListedRoute, policies: Policies): string {
  const { handler, guards, path } = route
  const { name } = routeFacts(route)
  const steps = [
    ...guards.map((guard) => guardLines(guard, policies).join('\n     ')),
    `runs the handler ${handler.name || 'without a name'}\n     ${locateFunction(handler)}`,
  ]
  return [
    `${route.method} ${path}  ${name}`,
    `  written at ${locateRoute(route)}`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ].join('\n')
}

function guardLines(guard: Guard, policies: Policies): string[] {
  const { kind, action, resource } = guard as Guard & { action: string; resource: Resource }
  const words = guardInWords(guard)
  if (kind !== 'authorize') return [words]
  const policy = policies.get(resource)
  const asked = policy === undefined ? [] : rulesAsked(policy, action)
  if (asked.length === 0) return [words, 'no rule answers, so that it is denied']
  return [words, ...asked.map(({ key, rule }) => `${key} ${verb(key)}: ${locateFunction(rule)}`)]
}

const VERBS: Record<string, string> = { before: 'is asked first', canBecome: 'is asked before it is stored' }
const verb = (key: string): string => VERBS[key] ?? 'decides'

function otherMethods({ app, tables }: Pick<ProductionApp, 'app' | 'tables'>, path: string): string {
  const methods = new Set(listRoutes(tables).map(({ method }) => method))
  const answering = [...methods].filter((method) => matchRoute(app, method, path)?.is === 'route')
  return `It does to ${answering.toSorted().join(', ')}.`
}

/** The route that begins alike the longest. */
function suggestion(routes: readonly ListedRoute[], path: string): string {
  const alike = (route: ListedRoute) => {
    const [one, other] = [route.path.split(/(?<=\/)|/), path.split(/(?<=\/)|/)]
    const differs = one.findIndex((letter, index) => letter !== other[index])
    return differs < 0 ? one.length : differs
  }
  const nearest = routes.toSorted((one, other) => alike(other) - alike(one))[0]
  // The first slash alone is nothing in common.
  if (nearest === undefined || alike(nearest) < 2) return '`npx cli routes` lists those that there are.'
  return `Did you mean ${nearest.method} ${nearest.path}?`
}
