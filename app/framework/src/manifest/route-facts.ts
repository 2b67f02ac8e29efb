import type { AuthorizeGuard } from '../policy/authorize.ts'
import type { Access, Guard, ListedRoute } from '../http/routes/route-types.ts'
import { guardTexts } from './guard-words.ts'
import type { RouteEntry } from './schema.ts'

/** Returns the entry of a route in the manifest, read from its guards. */
export function routeFacts(route: ListedRoute): RouteEntry {
  const { method, path, guards } = route
  const { access, roles } = guards[0] as Access
  return {
    method,
    path,
    name: routeName(route),
    classification: access === 'public' ? 'public' : 'gated',
    roles: roles.toSorted(),
    policy: decisionsOf(guards).map(decisionText).join(', ') || null,
    guards: guardTexts(guards),
  }
}

/** Returns the `authorize` guards, in order. */
export const decisionsOf = (guards: readonly Guard[]): AuthorizeGuard[] =>
  guards.filter((guard): guard is AuthorizeGuard => guard.kind === 'authorize')

const decisionText = ({ action, resource }: AuthorizeGuard): string => `${action} ${resource.name}`

/** Returns the path of the table and the name of the handler: `posts.update`, `api.posts.show`. */
function routeName({ method, path, handler, table }: ListedRoute): string {
  const segments = (table.base || path).split('/').filter((segment) => /^[\w-]+$/.test(segment))
  return [...(segments.length > 0 ? segments : ['root']), handler.name || method.toLowerCase()].join('.')
}
