import { isDeepStrictEqual } from 'node:util'
import type { Resource } from '../resource/resource.ts'
import type { PolicyContext, ScopeQuestion } from './authorization-types.ts'
import type { VariantOf } from './scope.ts'
import { isRecordInScope } from './scope-answers.ts'

/** What `inScope()` returns. It is not a function, so that TypeScript checks the variant against the resource. */
class InScope<Variant extends readonly unknown[] = readonly unknown[]> {
  readonly #variant: Variant

  constructor(variant: Variant) {
    this.#variant = Object.freeze(variant)
    Object.freeze(this)
  }

  get variant(): Variant {
    return this.#variant
  }
}

/** `inScope()` with a variant of this resource's scope. */
export type InScopeOf<R extends Resource> = InScope<Readonly<VariantOf<R>>>

/**
 * Returns a rule for `policy()` that allows an action on the records in the resource's scope, so that the policy and
 * the lists can't disagree. `inScope('mine')` allows what `visibleTo(ctx, 'mine')` lists: the records of the scope that
 * are also in the variant. It works for each `can<Action>`: `canCreate` asks about the draft, whose other columns are
 * null, and `canBecome` about the updated row.
 *
 * The statements of `load(Post)` and of lists of `visibleTo(ctx)` contain the answers, so that these rows cost no
 * further statement. Other rows cost one statement for each variant, shared by up to 1,000 concurrent decisions. A
 * write decides again in its transaction, as for every asynchronous rule, with a statement that locks the related rows.
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

type Rule = (ctx: PolicyContext, record: object, after: object) => Promise<boolean>

/** The questions of the functions that `boundRules` made. */
const questions = new WeakMap<object, ScopeQuestion>()

/**
 * Returns the rules of a policy with functions in place of `inScope()`, and the questions that they ask the scope.
 * Throws for `before`, and for a rule that was bound to another resource.
 */
export function boundRules(
  resource: Resource,
  declared: Readonly<Record<string, unknown>>,
): { rules: Record<string, unknown>; questions: readonly ScopeQuestion[] } {
  const rules: Record<string, unknown> = { ...declared }
  const asked = new Set<ScopeQuestion>()
  for (const [key, rule] of Object.entries(declared)) {
    const question = rule instanceof InScope ? questionOf(resource, rule.variant) : scopeQuestionOf(rule)
    if (question === undefined) continue
    if (question.resource !== resource)
      throw new Error(`${resource.name}: ${key} asks the scope of ${question.resource.name}. Use inScope().`)
    if (!/^can[A-Z]/.test(key))
      throw new Error(`${resource.name}: inScope() can't be ${key}. Use it for rules like canShow.`)
    rules[key] = boundRule(question, key)
    asked.add(question)
  }
  return { rules, questions: Object.freeze([...asked]) }
}

function boundRule(question: ScopeQuestion, key: string): Rule {
  const rule: Rule =
    key === 'canBecome'
      ? (ctx, _before, after) => isRecordInScope(ctx, question, { record: after })
      : (ctx, record) => isRecordInScope(ctx, question, { record, isDraft: key === 'canCreate' })
  questions.set(rule, question)
  return rule
}

/** Returns the question that a rule of a policy asks the scope. Undefined if `inScope` didn't make the rule. */
export const scopeQuestionOf = (rule: unknown): ScopeQuestion | undefined =>
  typeof rule === 'function' ? questions.get(rule) : undefined

const byResource = new WeakMap<Resource, ScopeQuestion[]>()

/** Returns the same object for equal questions, so that rules share its answers. */
function questionOf(resource: Resource, variant: readonly unknown[]): ScopeQuestion {
  const known = byResource.get(resource) ?? []
  const equal = known.find((question) => isDeepStrictEqual(question.variant, variant))
  if (equal !== undefined) return equal
  const question = Object.freeze({ resource, variant })
  byResource.set(resource, [...known, question])
  return question
}
