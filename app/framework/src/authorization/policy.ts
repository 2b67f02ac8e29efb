import { declaredAt } from '../resource/declared-at.ts'
import type { NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import type { Denial } from './deny.ts'
import type { PolicyContext } from './policy-context.ts'

/**
 * The policies of the application, by the name of their resource, so that a misspelt action doesn't compile:
 * `declare module 'pergola' { interface Policies { Post: typeof postPolicy } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Policies {}

/** What a rule may say. Whatever else it says denies. */
type Answer = boolean | Denial
type Soon<T> = T | Promise<T>

/** A record that is about to be created: what the server fills is there, what the client sends may be absent. */
export type DraftOf<R extends Resource> = Readonly<Partial<NewRowOf<R>>>

/** The rules with other parameters. `before` and `canBecome` are not actions: `authorize` refuses them. */
interface SpecialRules<R extends Resource> {
  /** Called first for every action. True and false decide; undefined leaves the decision to the action's rule. */
  before: (ctx: PolicyContext, action: string, record: Partial<RowOf<R>>) => Soon<Answer | undefined>
  canCreate: (ctx: PolicyContext, draft: DraftOf<R>) => Soon<Answer>
  /** Called before an update is stored, with the stored row and the updated one. `before` is not called for it. */
  canBecome: (ctx: PolicyContext, before: RowOf<R>, after: RowOf<R>) => Soon<Answer>
}

type RuleFor<R extends Resource, Key extends string> = Key extends keyof SpecialRules<R>
  ? SpecialRules<R>[Key]
  : Key extends `can${Capitalize<string>}`
    ? (ctx: PolicyContext, row: RowOf<R>) => Soon<Answer>
    : never

interface PolicyOptions {
  /** The response to a denial for this resource; defaults to the application's `forbidden_response`. */
  forbiddenResponse?: ForbiddenResponse
}

interface PolicyFacts<R extends Resource> extends PolicyOptions {
  readonly resource: R
  /** Where it is declared, as `file:line`. */
  readonly declaredAt: string
}

/** A declared policy, as `policy()` returns it. */
export interface Policy<R extends Resource = Resource, Key extends string = string> extends PolicyFacts<R> {
  readonly rules: { readonly [K in Key]: RuleFor<R, K> }
}

/** A policy of whichever resource, for registries. */
export interface AnyPolicy extends PolicyFacts<Resource> {
  readonly rules: Readonly<Record<string, (ctx: PolicyContext, ...asked: never[]) => unknown>>
}

/**
 * Declares the policy of a resource: which caller may perform which action on one record. An action without a rule
 * is denied, and so is one whose rule throws or returns anything but true.
 *
 * Rules are `can<Action>`, as in `canShow` and `canUpdate`. `before` is asked first and may decide any action that
 * has a rule. `canBecome` is asked with the row as it is and as it would be after an update. Throws if a rule is not
 * a function.
 *
 * ```ts
 * export const postPolicy = policy(Post, {
 *   canShow: (ctx, post) => post.published || ctx.owns(post.author_id),
 *   canCreate: (ctx) => ctx.userId !== null,
 *   canUpdate: (ctx, post) => ctx.owns(post.author_id) || ctx.hasRole('admin'),
 * })
 * ```
 */
export function policy<R extends Resource, Key extends string>(
  resource: R,
  rules: { [K in Key]: RuleFor<R, K> },
  { forbiddenResponse }: PolicyOptions = {},
): Policy<R, Key> {
  if (forbiddenResponse !== undefined && !FORBIDDEN_RESPONSES.includes(forbiddenResponse)) {
    throw new Error(
      `${resource.name}: forbiddenResponse is '${forbiddenResponse}'; legal are ${FORBIDDEN_RESPONSES.join(', ')}.`,
    )
  }
  for (const [name, rule] of Object.entries(rules)) {
    if (typeof rule !== 'function') throw new Error(`${resource.name}: ${name} is no function.`)
  }
  return Object.freeze({
    resource,
    rules: Object.freeze({ ...rules }),
    declaredAt: declaredAt(policy),
    ...(forbiddenResponse && { forbiddenResponse }),
  })
}

/**
 * The response to a denied request.
 *
 * - `404`: as for a missing record.
 * - `403`: with the policy's reason.
 * - `auto`: 403 if the caller may see the record, 404 otherwise. A denied `create` is a 403.
 */
export type ForbiddenResponse = (typeof FORBIDDEN_RESPONSES)[number]
const FORBIDDEN_RESPONSES = ['404', '403', 'auto'] as const

type StandardVerb = 'show' | 'create' | 'update' | 'delete'
type VerbsOf<P> = P extends { rules: infer Rules } ? VerbOfRule<Exclude<keyof Rules, 'canBecome'>> : never
type VerbOfRule<Key> = Key extends `can${infer Verb}` ? Uncapitalize<Verb> : never
type WrittenVerb<R extends Resource> = R['name'] extends keyof Policies ? VerbsOf<Policies[R['name']]> : never

/** The actions that can be asked about a resource: the standard four and what its policy adds. */
export type VerbOf<R extends Resource> = StandardVerb | WrittenVerb<R>
