import { memoize } from '../http/memoize.ts'
import { declaredAt } from '../resource/declared-at.ts'
import type { NewRowOf, Resource, RowOf, WithRestricted } from '../resource/resource.ts'
import type { ColumnOf } from '../resource/tables.ts'
import { checkedFields, type FieldRules, NO_FIELDS, type RestrictedField } from './declared-fields.ts'
import type { AnyPolicy, ForbiddenResponse, PolicyContext, PolicyFacts } from './authorization-types.ts'
import { boundRules, type InScopeOf } from './in-scope.ts'

/**
 * The policies of the application, by the name of their resource, so that a misspelt action doesn't compile:
 * `declare module 'pergola' { interface Policies { Post: typeof postPolicy } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Policies {}

/** The values that a rule may return. Any other value denies. */
type Answer = boolean | Denial
type Awaitable<T> = T | Promise<T>

/** The known values of a record to create: columns of the input, and columns that the server sets. */
export type DraftOf<R extends Resource> = Readonly<Partial<NewRowOf<R>>>

/** The rules with parameters other than `(ctx, row)`. `before` and `canBecome` are not actions. */
interface SpecialRules<R extends Resource> {
  /** Called first for every action. True and false decide; undefined leaves the decision to the action's rule. */
  before: (ctx: PolicyContext, action: string, record: Partial<RowOf<R>>) => Awaitable<Answer | undefined>
  canCreate: (ctx: PolicyContext, draft: DraftOf<R>) => Awaitable<Answer>
  /** Called before an update is stored, with the stored row and the updated one. `before` is not called for it. */
  canBecome: (ctx: PolicyContext, before: RowOf<R>, after: RowOf<R>) => Awaitable<Answer>
}

type RuleFor<R extends Resource, Key extends string> = Key extends keyof SpecialRules<R>
  ? SpecialRules<R>[Key]
  : Key extends `can${Capitalize<string>}`
    ? (ctx: PolicyContext, row: RowOf<R>) => Awaitable<Answer>
    : never

/** A rule, or `inScope()` in its place: not for `before`, which is no action, nor for `canCreate`, before a row exists. */
type DeclaredRule<R extends Resource, Key extends string> = Key extends 'before' | 'canCreate'
  ? RuleFor<R, Key>
  : RuleFor<R, Key> | InScopeOf<R>

/** A declared policy, as `policy()` returns it. */
export interface Policy<
  R extends Resource = Resource,
  Key extends string = string,
  Fields extends FieldRules<R> = FieldRules<R>,
> extends PolicyFacts<R> {
  readonly rules: { readonly [K in Key]: RuleFor<R, K> }
  readonly fields: Fields
}

type OnlyColumns<R extends Resource, Fields> =
  Exclude<keyof Fields, ColumnOf<R['table']>> extends never ? unknown : { 'a field is not a column': never }

interface PolicyOptions<R extends Resource, Fields> extends Pick<PolicyFacts<R>, 'forbiddenResponse'> {
  /** The rules of single fields, for the actions that the policy allows. Fields without rules have no limits. */
  fields?: Fields & FieldRules<R> & OnlyColumns<R, Fields>
}

/**
 * Declares the policy of a resource: which caller may perform which action on one record. An action without a rule
 * is denied, and so is one whose rule throws or returns a value other than true.
 *
 * Rules are `can<Action>`, as in `canShow` and `canUpdate`. `before` is called first and may decide any action that
 * has a rule. `canBecome` is called with the stored row and with the row that an update would store. `inScope()` in place
 * of a rule allows what the scope lists.
 *
 * `fields` limits single fields further. Callers get rows without the fields that they don't see, and `Invalid` (422)
 * for a field that they may not set. Rows of hooks and of `asSystem` have all fields, and so have the rows
 * that rules get.
 *
 * Throws if a rule is neither a function nor `inScope()`, and for a rule `see` of the id or of the label.
 *
 * ```ts
 * export const postPolicy = policy(
 *   Post,
 *   {
 *     canShow: (ctx, post) => post.published || ctx.owns(post.author_id),
 *     canCreate: (ctx) => ctx.userId !== null,
 *     canUpdate: (ctx, post) => ctx.owns(post.author_id) || ctx.hasRole('editor'),
 *   },
 *   { fields: { fee: { see: (ctx, post) => ctx.hasRole('editor') || ctx.owns(post.author_id) } } },
 * )
 * ```
 */
export function policy<
  R extends Resource,
  Key extends string,
  // oxlint-disable-next-line typescript/no-empty-object-type
  const Fields extends FieldRules<R> = {},
>(
  resource: R,
  rules: { [K in Key]: DeclaredRule<R, K> },
  { forbiddenResponse, fields }: PolicyOptions<R, Fields> = {},
): Policy<R, Key, NoInfer<Fields>> {
  if (forbiddenResponse !== undefined && !FORBIDDEN_RESPONSES.includes(forbiddenResponse)) {
    throw new Error(
      `${resource.name}: forbiddenResponse is '${forbiddenResponse}'. Valid values: ${FORBIDDEN_RESPONSES.join(', ')}.`,
    )
  }
  const bound = boundRules(resource, rules)
  for (const [name, rule] of Object.entries(bound.rules)) {
    if (typeof rule !== 'function') throw new Error(`${resource.name}: ${name} is not a function.`)
  }
  return Object.freeze({
    resource,
    rules: Object.freeze(bound.rules as { [K in Key]: RuleFor<R, K> }),
    fields: fields === undefined ? (NO_FIELDS as never) : checkedFields(resource, fields),
    declaredAt: declaredAt(policy),
    ...(bound.questions.length > 0 && { scopeQuestions: bound.questions }),
    ...(forbiddenResponse && { forbiddenResponse }),
  })
}

const FORBIDDEN_RESPONSES: readonly ForbiddenResponse[] = ['404', '403', 'auto']

/** A denial with a reason, as `deny` returns it. Other objects with the same properties are invalid answers. */
export class Denial {
  readonly reason: string
  readonly sentence: string | undefined

  constructor(reason: string, sentence: string | undefined) {
    if (!/^[a-z][a-z0-9_]*$/.test(reason))
      throw new Error(`deny('${reason}'): a reason is a word like 'locked' or 'too_old'.`)
    this.reason = reason
    this.sentence = sentence
  }
}

/**
 * Returns a denial with a reason, for a rule of a policy. The reason is always logged. The caller sees the reason
 * and the sentence only if the response is a 403. Throws if the reason is not a word like `too_old`.
 *
 * ```ts
 * canUpdate: (ctx, post) => !post.locked || deny('locked', 'This post is locked.')
 * ```
 */
export function deny(reason: string, sentence?: string): Denial {
  return new Denial(reason, sentence)
}

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

/** The fields with a rule `see`. */
export type RestrictedFields<R extends Resource> = R['name'] extends keyof Policies
  ? Policies[R['name']] extends { fields: infer Fields }
    ? RestrictedField<Fields>
    : never
  : never

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
