import { memoize } from '../resource/memoize.ts'
import type { NewRowOf, Resource, WithRestricted } from '../resource/resource.ts'
import type { AnyPolicy, FieldAccess } from './authorization-types.ts'

/**
 * The policies of the application, by the name of their resource, so that a misspelt action doesn't compile:
 * `declare module 'pergola' { interface Policies { Post: typeof postPolicy } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Policies {}

/** The known values of a record to create: columns of the input, and columns that the server sets. */
export type DraftOf<R extends Resource> = Readonly<Partial<NewRowOf<R>>>

/** Returns the actions that a policy has a rule for, sorted. */
export const actionsOf = ({ rules }: AnyPolicy): string[] =>
  Object.keys(rules)
    .flatMap((key) => actionOf(key) ?? [])
    .toSorted()

/** The number of actions whose rule names are kept. A page asks for the same ones for each row. */
const ACTIONS = 1_000

/**
 * Returns the name of an action's rule: `update` → `canUpdate`. Null if it is not a policy action. Names are
 * case-sensitive, and `become` is internal.
 */
export const ruleKey = memoize((action: string): string | null => {
  const key = `can${action.charAt(0).toUpperCase()}${action.slice(1)}`
  return actionOf(key) === action ? key : null
}, ACTIONS)

/** Returns the action of a rule: `canUpdate` → `update`. Null for `before` and `canBecome`, which are not actions. */
function actionOf(key: string): string | null {
  if (key === 'canBecome' || !/^can[A-Z]/.test(key)) return null
  return key.charAt(3).toLowerCase() + key.slice(4)
}

/** The fields that some callers don't see. */
export type RestrictedFields<R extends Resource> = R['name'] extends keyof Policies
  ? Policies[R['name']] extends { fields: infer Fields }
    ? RestrictedBy<Fields>
    : never
  : never

/** Distributes over a union, for a policy that has field rules only sometimes. */
type RestrictedBy<Fields> = Fields extends FieldAccess<infer Restricted> ? Restricted : never

/** The resource as callers see it: the fields with a rule `see` are optional in its rows. */
export type Seen<R extends Resource> = [RestrictedFields<R>] extends [never]
  ? R
  : R & WithRestricted<RestrictedFields<R>>

const STANDARD_VERBS = ['show', 'create', 'update', 'delete'] as const
type StandardVerb = (typeof STANDARD_VERBS)[number]

/** Returns whether every policy can have a rule for the action. Others, such as `publish`, belong to one policy. */
export const isStandardVerb = (action: string): boolean => STANDARD_VERBS.some((verb) => verb === action)
type VerbsOf<P> = P extends { rules: infer Rules } ? VerbOfRule<Exclude<keyof Rules, 'canBecome'>> : never
type VerbOfRule<Key> = Key extends `can${infer Verb}` ? Uncapitalize<Verb> : never
type DeclaredVerb<R extends Resource> = R['name'] extends keyof Policies
  ? VerbsOf<Policies[R['name']]>
  : never

/** The actions on a resource: the standard four and those that its policy adds. */
export type VerbOf<R extends Resource> = StandardVerb | DeclaredVerb<R>

/** The actions that a policy adds to the standard four: publish, archive, purge … */
export type AddedVerb<R extends Resource> = Exclude<VerbOf<R>, StandardVerb>
