import type { AuthorizeGuard } from '../policy/authorize.ts'
import type { LimitGuard } from '../features/limits/limit.ts'
import { type LoadGuard, recordName } from '../policy/load.ts'
import type { AnyPolicy } from '../policy/authorization-types.ts'
import { scopeQuestionOf } from '../features/in-scope/in-scope.ts'
import { questionText } from '../features/in-scope/scope-query.ts'
import type { ConfirmationGuard } from '../features/step-up/recently-confirmed.ts'
import type { Access, Guard } from '../http/routes/route-types.ts'
import { ruleKey } from '../policy/declared-policies.ts'
import { sortedBy } from './schema.ts'

/** Returns the guards as texts for the manifest. A condition of `secured` has a text of its own. */
export const guardTexts = (guards: readonly Guard[]): string[] =>
  guards.flatMap((guard) => [guardText(guard), ...(isVerified(guard) ? ['verified'] : [])])

const isVerified = (guard: Guard): boolean =>
  guard.isBuiltIn === true && (guard as Partial<Access>).verified === true

/** Returns a guard as text: `load Post by id below author_id=user`. */
function guardText(guard: Guard): string {
  // The effect of an application's guard is unknown, even if its kind is also a kind of the framework.
  if (guard.isBuiltIn !== true) return `own ${guard.kind}`
  if (guard.kind === 'access') return accessText(guard as Access)
  if (guard.kind === 'load') return loadText(guard as LoadGuard)
  if (guard.kind === 'limit') return limitText(guard as LimitGuard)
  if (guard.kind === 'recently-confirmed') return confirmationText(guard as ConfirmationGuard)
  return guard.kind === 'authorize' ? authorizeText(guard as AuthorizeGuard) : guard.kind
}

const accessText = ({ access, roles }: Access): string => [access, ...roles.toSorted()].join(' ')

function loadText({ resource, param, as, below, withTrashed }: LoadGuard): string {
  return [
    `load ${resource.name} by ${param}`,
    ...(withTrashed ? ['with trashed'] : []),
    ...(as === recordName(resource) ? [] : [`as ${as}`]),
    ...parentTexts(below),
  ].join(' ')
}

const parentTexts = (below: Readonly<Record<string, string>>): string[] =>
  sortedBy(Object.entries(below), ([column]) => column).map(
    ([column, parent], index) => `${index === 0 ? 'below' : 'and'} ${column}=${parent}`,
  )

const authorizeText = ({ action, resource, from, below }: AuthorizeGuard): string =>
  [
    `authorize ${action} ${resource.name}`,
    ...(from === recordName(resource) ? [] : [`from ${from}`]),
    ...parentTexts(below),
  ].join(' ')

const limitText = ({ per, requests, seconds }: LimitGuard): string =>
  `limit ${requests} in ${seconds}s per ${per}`

const confirmationText = ({ seconds }: ConfirmationGuard): string => `recently-confirmed in ${seconds}s`

/** Returns a description of a guard, for a sentence: `is open to signed-in users`. */
export function guardInWords(guard: Guard): string {
  if (guard.kind === 'access') return accessInWords(guard as Access)
  if (guard.kind === 'load') {
    return `loads the ${(guard as LoadGuard).resource.name} whose id is in the path, or returns a 404`
  }
  if (guard.kind === 'authorize') return decisionInWords(guard as AuthorizeGuard)
  if (guard.kind === 'limit') return limitInWords(guard as LimitGuard)
  if (guard.kind === 'recently-confirmed') return confirmationInWords(guard as ConfirmationGuard)
  return WORDS.get(guard.kind) ?? `runs the application's guard '${guard.kind}'`
}

const WORDS = new Map([
  ['body', 'reads the JSON body'],
  ['if-match', 'checks that the request contains the current version of the record'],
])

function accessInWords({ access, roles, verified }: Access): string {
  if (access === 'public') return 'is open to guests and signed-in users'
  const callers = roles.length === 0 ? 'signed-in users' : `the role ${roles.join(' or ')}`
  return `is open to ${callers}${verified ? ' with a verified email address' : ''}`
}

const limitInWords = ({ per, requests, seconds }: LimitGuard): string =>
  `allows each ${per} ${requests} requests in ${seconds} seconds`

const confirmationInWords = ({ seconds }: ConfirmationGuard): string =>
  `asks for the password, unless the caller signed in or entered it in the last ${seconds} seconds`

function decisionInWords({ action, resource }: AuthorizeGuard): string {
  const article = action === 'create' ? 'a' : 'the'
  return `checks whether the caller may ${action} ${article} ${resource.name}`
}

/** A rule that a decision calls. */
interface AskedRule {
  /** The name of the rule in the policy. */
  readonly key: string
  readonly rule: object
  /** The source of a rule that `inScope` made: `inScope('mine')`. Null for a function of the application. */
  readonly inScope: string | null
}

/** Returns the rules that a decision on `action` calls, in order. */
export function rulesAsked({ rules }: AnyPolicy, action: string): AskedRule[] {
  const key = ruleKey(action)
  // An action without a rule is denied, and `before` is not called.
  if (key === null || rules[key] === undefined) return []
  const asked = action === 'update' ? ['before', key, 'canBecome'] : ['before', key]
  return asked.flatMap((name) => {
    const rule = rules[name]
    if (rule === undefined) return []
    const question = scopeQuestionOf(rule)
    return [{ key: name, rule, inScope: question === undefined ? null : questionText(question) }]
  })
}
