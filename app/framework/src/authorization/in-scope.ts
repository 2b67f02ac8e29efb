import { isDeepStrictEqual } from 'node:util'
import { completeRow, originOf } from '../database/rows.ts'
import type { Resource } from '../resource/resource.ts'
import type { PolicyContext, ScopeQuestion } from './authorization-types.ts'
import type { VariantOf } from './scope.ts'
import { isInScope } from './scope-query.ts'

/** What `inScope()` returns. It is not a function, so that TypeScript checks the variant against the resource. */
class InScope<Variant extends readonly unknown[] = readonly unknown[]> {
  readonly variant: Variant

  constructor(variant: Variant) {
    this.variant = Object.freeze(variant)
    Object.freeze(this)
  }
}

/** `inScope()` with a variant of this resource's scope. */
export type InScopeOf<R extends Resource> = InScope<Readonly<VariantOf<R>>>

/**
 * Returns a rule for `policy()` that allows an action on the records in the resource's scope, so that the policy and
 * the lists can't disagree. `inScope('mine')` allows what `visibleTo(ctx, 'mine')` lists: the records of the scope that
 * are also in the variant. It works for each `can<Action>` but `canCreate`, because a draft is not stored.
 *
 * The answers cost one statement for each variant, which up to 1,000 concurrent decisions share. They are reused until
 * the request writes. A write decides again in its transaction, as for every asynchronous rule, with a statement that
 * locks the related rows. `canBecome` asks about the updated row, and so does `canUpdate` before an update is stored.
 *
 * Without a scope, the rule denies. It throws, and the policy denies with the cause `error`, if the scope throws, if its
 * SQL fails, and if the context has no database or no registry.
 *
 * ```ts
 * policy(Post, { canShow: inScope(), canUpdate: inScope('mine') })
 * ```
 */
export function inScope<const Variant extends readonly unknown[]>(...variant: Variant): InScope<Variant> {
  return new InScope(variant)
}

/**
 * Returns the rules of a policy with functions in place of `inScope()`, and the questions that they ask the scope. Rules
 * with equal variants share one question, and so its answers. Throws for `before` and `canCreate`, and for a rule that was
 * bound to another resource.
 */
export function boundRules(
  resource: Resource,
  declared: Readonly<Record<string, unknown>>,
): { rules: Record<string, unknown>; questions: readonly ScopeQuestion[] } {
  const rules: Record<string, unknown> = { ...declared }
  const questions: ScopeQuestion[] = []
  for (const [key, rule] of Object.entries(declared)) {
    const asked =
      rule instanceof InScope ? Object.freeze({ resource, variant: rule.variant }) : scopeQuestionOf(rule)
    if (asked === undefined) continue
    if (asked.resource !== resource)
      throw new Error(`${resource.name}: ${key} asks the scope of ${asked.resource.name}. Use inScope().`)
    if (key === 'canCreate' || !/^can[A-Z]/.test(key))
      throw new Error(
        `${resource.name}: inScope() can't be ${key}. Use a function: the scope answers for stored records.`,
      )
    const question = questions.find(({ variant }) => isDeepStrictEqual(variant, asked.variant)) ?? asked
    if (question === asked) questions.push(asked)
    rules[key] = boundRule(question, key)
  }
  return { rules, questions: Object.freeze(questions) }
}

const boundRule = (question: ScopeQuestion, key: string) =>
  Object.assign(
    (ctx: PolicyContext, record: object, after: object) => {
      const row = completeRow(key === 'canBecome' ? after : record)
      const isStored = originOf(question.resource, row) !== undefined
      return isInScope(ctx, question, { row, isStored })
    },
    { [QUESTION]: question },
  )

const QUESTION = Symbol('the question to the scope')

/** Returns the question that a rule of a policy asks the scope. Undefined if `inScope` didn't make the rule. */
export const scopeQuestionOf = (rule: unknown): ScopeQuestion | undefined =>
  typeof rule === 'function' ? (rule as { [QUESTION]?: ScopeQuestion })[QUESTION] : undefined
