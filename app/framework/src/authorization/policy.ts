import { declaredAt } from '../resource/declared-at.ts'
import type { NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import type { Denial } from './deny.ts'
import type { PolicyContext } from './policy-context.ts'

/**
 * Which verbs each policy wrote, by the name of its resource, so that a misspelt verb doesn't compile:
 * `declare module 'pergola' { interface Policies { Post: typeof postPolicy } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Policies {}

/** What a rule may say. Whatever else it says denies. */
type Answer = boolean | Denial
type Soon<T> = T | Promise<T>

/** A record that is about to be created: what the server fills is there, what the client sends may be absent. */
export type DraftOf<R extends Resource> = Readonly<Partial<NewRowOf<R>>>

/** What each rule is asked with. `before` and `canBecome` are no actions: nobody can be authorized for them. */
interface SpecialRules<R extends Resource> {
  /** Asked first, whatever the action: true and false decide, undefined leaves it to the action's own rule. */
  before: (ctx: PolicyContext, action: string, record: Partial<RowOf<R>>) => Soon<Answer | undefined>
  canCreate: (ctx: PolicyContext, draft: DraftOf<R>) => Soon<Answer>
  /** Asked before an update is stored, with the row as it is and as it would be. `before` is not asked for it. */
  canBecome: (ctx: PolicyContext, before: RowOf<R>, after: RowOf<R>) => Soon<Answer>
}

type RuleFor<R extends Resource, Key extends string> = Key extends keyof SpecialRules<R>
  ? SpecialRules<R>[Key]
  : Key extends `can${Capitalize<string>}`
    ? (ctx: PolicyContext, row: RowOf<R>) => Soon<Answer>
    : never

interface PolicyOptions {
  /** What a denial of this resource looks like, instead of the application's `forbidden_response`. */
  forbiddenResponse?: ForbiddenResponse
}

interface PolicyFacts<R extends Resource> extends PolicyOptions {
  readonly resource: R
  /** Where it is declared, as `file:line`. */
  readonly declaredAt: string
}

export interface Policy<R extends Resource = Resource, Key extends string = string> extends PolicyFacts<R> {
  readonly rules: { readonly [K in Key]: RuleFor<R, K> }
}

/** A policy of whichever resource, for registries. */
export interface AnyPolicy extends PolicyFacts<Resource> {
  readonly rules: Readonly<Record<string, (ctx: PolicyContext, ...asked: never[]) => unknown>>
}

/** Who may do what to one record. Whatever is not written here is denied. */
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
 * What a denial looks like. `404`: like a missing record. `403`: like itself. `auto`: 404 where the caller
 * may not even see the record, 403 where they may; a denied create is 403.
 */
export type ForbiddenResponse = (typeof FORBIDDEN_RESPONSES)[number]
const FORBIDDEN_RESPONSES = ['404', '403', 'auto'] as const

type StandardVerb = 'show' | 'create' | 'update' | 'delete'
type VerbsOf<P> = P extends { rules: infer Rules } ? VerbOfRule<Exclude<keyof Rules, 'canBecome'>> : never
type VerbOfRule<Key> = Key extends `can${infer Verb}` ? Uncapitalize<Verb> : never
type WrittenVerb<R extends Resource> = R['name'] extends keyof Policies ? VerbsOf<Policies[R['name']]> : never

/** The actions that can be asked about a resource: the standard four and what its policy adds. */
export type VerbOf<R extends Resource> = StandardVerb | WrittenVerb<R>
