import type { AuthorizeGuard } from '../authorization/authorize.ts'
import { type LoadGuard, recordName } from '../authorization/load.ts'
import type { AnyPolicy } from '../authorization/authorization-types.ts'
import type { Access, Guard } from '../http/route-types.ts'
import { ruleKey } from '../authorization/policy.ts'
import { sortedBy } from './schema.ts'

/** What a guard is, in the words it was written with: `load Post by id below author_id=user`. */
export function guardText(guard: Guard): string {
  // What a guard of the application's own does can't be seen, whatever it calls itself.
  if (guard.isBuiltIn !== true) return `own ${guard.kind}`
  if (guard.kind === 'access') return accessText(guard as Access)
  if (guard.kind === 'load') return loadText(guard as LoadGuard)
  return guard.kind === 'authorize' ? authorizeText(guard as AuthorizeGuard) : guard.kind
}

const accessText = ({ access, roles }: Access): string => [access, ...roles.toSorted()].join(' ')

function loadText({ resource, param, as, below, withTrashed }: LoadGuard): string {
  const parents = sortedBy(Object.entries(below), ([column]) => column)
  return [
    `load ${resource.name} by ${param}`,
    ...(withTrashed ? ['with trashed'] : []),
    ...(as === recordName(resource) ? [] : [`as ${as}`]),
    ...parents.map(([column, parent], index) => `${index === 0 ? 'below' : 'and'} ${column}=${parent}`),
  ].join(' ')
}

const authorizeText = ({ action, resource, from }: AuthorizeGuard): string =>
  `authorize ${action} ${resource.name}${from === recordName(resource) ? '' : ` from ${from}`}`

/** Returns a sentence about what a guard does. */
export function guardInWords(guard: Guard): string {
  if (guard.kind === 'access') return accessInWords(guard as Access)
  if (guard.kind === 'load') {
    return `loads the ${(guard as LoadGuard).resource.name} whose id is in the path; without one it is a 404`
  }
  if (guard.kind === 'authorize') return decisionInWords(guard as AuthorizeGuard)
  return WORDS.get(guard.kind) ?? `a guard of its own: ${guard.kind}`
}

const WORDS = new Map([
  ['body', 'reads the JSON body'],
  ['if-match', 'asks whether the caller saw the record as it is'],
])

function accessInWords({ access, roles }: Access): string {
  if (access === 'public') return 'anybody may come in'
  return roles.length === 0
    ? 'whoever is signed in may come in'
    : `the role ${roles.join(' or ')} may come in`
}

function decisionInWords({ action, resource }: AuthorizeGuard): string {
  const article = action === 'create' ? 'a' : 'the'
  return `asks whether the caller may ${action} ${article} ${resource.name}`
}

/** Returns the rules that a decision on `action` consults, in their order, with their names in the policy. */
export function rulesAsked({ rules }: AnyPolicy, action: string): { key: string; rule: object }[] {
  const key = ruleKey(action)
  // Without a rule of its own the action is denied, and `before` isn't asked either.
  if (key === null || rules[key] === undefined) return []
  const asked = action === 'update' ? ['before', key, 'canBecome'] : ['before', key]
  return asked.flatMap((name) => (rules[name] === undefined ? [] : [{ key: name, rule: rules[name] }]))
}
