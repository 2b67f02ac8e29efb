import type { NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import type { PolicyContext } from './policy-context.ts'

/**
 * Which verbs each policy wrote, by the name of its resource, so that a misspelt verb doesn't compile:
 * `declare module '#framework' { interface Policies { Post: typeof postPolicy } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Policies {}

type Answer = boolean | Promise<boolean>

/** A record that is about to be created: what the server fills is there, what the client sends may be absent. */
export type DraftOf<R extends Resource> = Readonly<Partial<NewRowOf<R>>>

// `canBecome` is no verb: nobody could be asked for it.
type RuleFor<R extends Resource, Key extends string> = Key extends 'canBecome'
  ? never
  : Key extends 'canCreate'
    ? (ctx: PolicyContext, draft: DraftOf<R>) => Answer
    : Key extends `can${Capitalize<string>}`
      ? (ctx: PolicyContext, row: RowOf<R>) => Answer
      : never

export interface Policy<R extends Resource = Resource, Key extends string = string> {
  readonly resource: R
  readonly rules: { readonly [K in Key]: RuleFor<R, K> }
}

/** A policy of whichever resource, for registries. */
export interface AnyPolicy {
  readonly resource: Resource
  readonly rules: Readonly<Record<string, (ctx: PolicyContext, record: never) => Answer>>
}

/** Who may do what to one record. Whatever is not written here is denied. */
export function policy<R extends Resource, Key extends string>(
  resource: R,
  rules: { [K in Key]: RuleFor<R, K> },
): Policy<R, Key> {
  return Object.freeze({ resource, rules: Object.freeze({ ...rules }) })
}

type StandardVerb = 'show' | 'create' | 'update' | 'delete'
type VerbsOf<P> = P extends { rules: infer Rules } ? VerbOfRule<keyof Rules> : never
type VerbOfRule<Key> = Key extends `can${infer Verb}` ? Uncapitalize<Verb> : never
type WrittenVerb<R extends Resource> = R['name'] extends keyof Policies ? VerbsOf<Policies[R['name']]> : never

/** The actions that can be asked about a resource: the standard four and what its policy adds. */
export type VerbOf<R extends Resource> = StandardVerb | WrittenVerb<R>
