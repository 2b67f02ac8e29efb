import type { AuthorizeGuard } from '../policy/authorize.ts'
import { type LoadGuard, recordName } from '../policy/load.ts'
import type { AnyPolicy } from '../policy/authorization-types.ts'
import { scopeQuestionOf } from '../features/in-scope/in-scope.ts'
import { questionText } from '../features/in-scope/scope-query.ts'
import type { Access, Guard } from '../http/routes/route-types.ts'
import { ruleKey } from '../policy/decide.ts'

/** The guards whose values are described here. `mount` reserves their kinds. Others describe themselves. */
type Described = Access | LoadGuard | AuthorizeGuard

/** Returns the guards as texts for the manifest: `load Post by id below author_id=user`. */
export const guardTexts = (guards: readonly Guard[]): string[] =>
  // The effect of an application's guard is unknown, even if its kind is also a kind of the framework.
  guards.flatMap((guard) => (guard.isBuiltIn === true ? textsOf(guard as Described) : `own ${guard.kind}`))

function textsOf(guard: Described): string[] {
  // A condition of `secured` has a text of its own.
  if (guard.kind === 'access')
    return [[guard.access, ...guard.roles.toSorted()].join(' '), ...(guard.verified ? ['verified'] : [])]
  if (guard.kind === 'load') return [loadText(guard)]
  if (guard.kind === 'authorize') return [authorizeText(guard)]
  const { kind, inManifest = kind }: Guard = guard
  return [inManifest]
}

const loadText = ({ resource, param, as, below, withTrashed }: LoadGuard): string =>
  [
    `load ${resource.name} by ${param}`,
    withTrashed && 'with trashed',
    as !== recordName(resource) && `as ${as}`,
    parentText(below),
  ]
    .filter(Boolean)
    .join(' ')

const authorizeText = ({ action, resource, from, below }: AuthorizeGuard): string =>
  [`authorize ${action} ${resource.name}`, from !== recordName(resource) && `from ${from}`, parentText(below)]
    .filter(Boolean)
    .join(' ')

function parentText(below: Readonly<Record<string, string>>): string {
  const parents = Object.keys(below)
    .toSorted()
    .map((column) => `${column}=${below[column]}`)
  return parents.length === 0 ? '' : `below ${parents.join(' and ')}`
}

/** Returns a description of a guard, for a sentence: `is open to signed-in users`. */
export function guardInWords(one: Guard): string {
  const guard = one as Described
  if (guard.kind === 'access') return accessInWords(guard)
  if (guard.kind === 'load')
    return `loads the ${guard.resource.name} whose id is in the path, or returns a 404`
  if (guard.kind === 'authorize')
    return `checks whether the caller may ${guard.action} ${guard.action === 'create' ? 'a' : 'the'} ${guard.resource.name}`
  return one.inWords ?? WORDS.get(one.kind) ?? `runs the application's guard '${one.kind}'`
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
  const own = ruleKey(action)
  // An action without a rule is denied, and `before` is not called.
  if (own === null || rules[own] === undefined) return []
  return ['before', own, ...(action === 'update' ? ['canBecome'] : [])].flatMap((key) => {
    const rule = rules[key]
    if (rule === undefined) return []
    const question = scopeQuestionOf(rule)
    return { key, rule, inScope: question === undefined ? null : questionText(question) }
  })
}
