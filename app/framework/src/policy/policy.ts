import { declaredAt } from '../resource/declared-at.ts'
import type { NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import type {
  FieldAccess,
  ForbiddenResponse,
  Policies,
  PolicyContext,
  PolicyFacts,
} from './authorization-types.ts'
import type { Denial } from './denial.ts'
import type { VariantOf } from './scope.ts'

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

/** What makes the rule of a stored record, in its place: see `inScope`. */
interface RuleMaker<R extends Resource> {
  /** The variant of the scope that the rule asks. */
  readonly variant: Readonly<VariantOf<R>>
  /** Returns the rule for this resource and this key, such as `canShow`. */
  ruleFor(resource: Resource, key: string): unknown
}

/** `before` decides about all actions, and the record of `canCreate` is not stored. */
type DeclaredRule<R extends Resource, Key extends string> = Key extends 'before' | 'canCreate'
  ? RuleFor<R, Key>
  : RuleFor<R, Key> | RuleMaker<R>

/** A declared policy, as `policy()` returns it. */
export interface Policy<
  R extends Resource = Resource,
  Key extends string = string,
  Fields = FieldAccess | undefined,
> extends PolicyFacts<R> {
  readonly rules: { readonly [K in Key]: RuleFor<R, K> }
  readonly fields: Fields
}

interface PolicyOptions<R extends Resource, Fields> extends Pick<PolicyFacts<R>, 'forbiddenResponse'> {
  /** The rules of single fields, for the actions that the policy allows: `fieldRules(Post, { … })`. */
  fields?: Fields
}

/**
 * Declares the policy of a resource: which caller may perform which action on one record. An action without a rule
 * is denied, and so is one whose rule throws or returns a value other than true.
 *
 * Rules are `can<Action>`, as in `canShow` and `canUpdate`. `before` is called first and may decide any action that
 * has a rule. `canBecome` is called with the stored row and with the row that an update would store. `inScope()` in place
 * of a rule allows what the scope lists.
 *
 * Throws if a rule is neither a function nor `inScope()`.
 *
 * ```ts
 * export const postPolicy = policy(Post, {
 *   canShow: (ctx, post) => post.published || ctx.owns(post.author_id),
 *   canCreate: (ctx) => ctx.userId !== null,
 *   canUpdate: (ctx, post) => ctx.owns(post.author_id) || ctx.hasRole('editor'),
 * })
 * ```
 */
export function policy<
  R extends Resource,
  Key extends string,
  Fields extends FieldAccess | undefined = undefined,
>(
  resource: R,
  rules: { [K in Key]: DeclaredRule<R, K> },
  { forbiddenResponse, fields }: PolicyOptions<R, Fields> = {},
): Policy<R, Key, Fields> {
  if (forbiddenResponse !== undefined && !FORBIDDEN_RESPONSES.includes(forbiddenResponse)) {
    throw new Error(
      `${resource.name}: forbiddenResponse is '${forbiddenResponse}'. Valid values: ${FORBIDDEN_RESPONSES.join(', ')}.`,
    )
  }
  if (fields !== undefined && fields.resource !== resource)
    throw new Error(
      `${resource.name}: fields has no rules of this resource. Pass fieldRules(${resource.name}, …).`,
    )
  const made = Object.entries(rules).map(([key, rule]) => [key, ruleOf(resource, key, rule)])
  return Object.freeze({
    resource,
    rules: Object.freeze(Object.fromEntries(made) as { [K in Key]: RuleFor<R, K> }),
    fields: fields as Fields,
    declaredAt: declaredAt(policy),
    ...(forbiddenResponse && { forbiddenResponse }),
  })
}

const FORBIDDEN_RESPONSES: readonly ForbiddenResponse[] = ['404', '403', 'auto']

/** Returns the rule. One of another policy that `inScope` made is made again, for this resource and this key. */
function ruleOf(resource: Resource, key: string, declared: unknown): unknown {
  const { ruleFor } = Object(declared) as Partial<RuleMaker<Resource>>
  const rule = ruleFor === undefined ? declared : ruleFor.call(declared, resource, key)
  if (typeof rule !== 'function') throw new Error(`${resource.name}: ${key} is not a function.`)
  return rule
}

const STANDARD_VERBS = ['show', 'create', 'update', 'delete'] as const
type StandardVerb = (typeof STANDARD_VERBS)[number]

/** Returns whether every policy can have a rule for the action. Others, such as `publish`, belong to one policy. */
export const isStandardVerb = (action: string): boolean => STANDARD_VERBS.some((verb) => verb === action)
type VerbsOf<P> = P extends { rules: infer Rules } ? VerbOfRule<Exclude<keyof Rules, 'canBecome'>> : never
type VerbOfRule<Key> = Key extends `can${infer Verb}` ? Uncapitalize<Verb> : never
type DeclaredVerb<R extends Resource> = R['name'] extends keyof Policies
  ? VerbsOf<Policies[R['name']]>
  : never

/** The actions on a resource: the standard four and those that its policy adds. `AnyVerb` has those of all policies. */
export type VerbOf<R extends Resource> = StandardVerb | DeclaredVerb<R>
export type AnyVerb = StandardVerb | VerbsOf<Policies[keyof Policies]>

/** The actions that a policy adds to the standard four: publish, archive, purge … */
export type AddedVerb<R extends Resource> = Exclude<VerbOf<R>, StandardVerb>
