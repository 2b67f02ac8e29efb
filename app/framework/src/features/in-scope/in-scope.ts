import { completeRow, originOf } from '../../rows/rows.ts'
import type { Resource } from '../../resource/resource.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { isInScope, type ScopeQuestion } from './scope-query.ts'

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
export function inScope<const Variant extends readonly unknown[]>(...variant: Variant) {
  Object.freeze(variant)
  // Not a function, so that TypeScript checks the variant against the resource.
  return Object.freeze({
    variant,
    ruleFor: (resource: Resource, key: string) => boundRule(Object.freeze({ resource, variant }), key),
  })
}

function boundRule(question: ScopeQuestion, key: string): object {
  const { resource } = question
  if (key === 'canCreate' || !/^can[A-Z]/.test(key))
    throw new Error(
      `${resource.name}: inScope() can't be ${key}. Use a function: the scope answers for stored records.`,
    )
  const rule = (ctx: PolicyContext, record: object, after: object) => {
    const row = completeRow(key === 'canBecome' ? after : record)
    return isInScope(ctx, question, { row, isStored: originOf(resource, row) !== undefined })
  }
  return Object.assign(rule, {
    [QUESTION]: question,
    ruleFor(other: Resource, otherKey: string) {
      if (other === resource) return boundRule(question, otherKey)
      throw new Error(`${other.name}: ${otherKey} asks the scope of ${resource.name}. Use inScope().`)
    },
  })
}

const QUESTION = Symbol('the question to the scope')

/** Returns the question that a rule of a policy asks the scope. Undefined if `inScope` didn't make the rule. */
export const scopeQuestionOf = (rule: unknown): ScopeQuestion | undefined =>
  typeof rule === 'function' ? (rule as { [QUESTION]?: ScopeQuestion })[QUESTION] : undefined
