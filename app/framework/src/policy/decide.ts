import { isSameTenant } from '../rows/tenant.ts'
import { memoize } from '../resource/memoize.ts'
import type { Resource } from '../resource/resource.ts'
import type { AnyPolicy, Cause, Decision, PolicyContext } from './authorization-types.ts'
import { Denial } from './denial.ts'
import { isAborted } from './policy-state.ts'

export interface Question {
  action: string
  resource: Resource
  record: object
}

type Policies = ReadonlyMap<Resource, AnyPolicy>
type Rule = (ctx: PolicyContext, ...records: unknown[]) => unknown

/**
 * Evaluates the rule of an action. Only `true` allows; every other result, and every error, denies. Never throws. Returns
 * a promise only if the rule does: each one would delay a denied record's response, and so reveal that it exists.
 */
export function decide(
  policies: Policies,
  ctx: PolicyContext,
  { action, resource, record }: Question,
  deadline = RULE_DEADLINE,
): Decision | Promise<Decision> {
  // Before the policy, which decides within the tenant and can't allow more.
  if (!isOwn(ctx, resource, record)) return notOwn(ctx)
  const policy = policies.get(resource)
  if (policy === undefined) return denial('no_policy')
  const key = ruleKey(action)
  const rule = key === null ? undefined : ruleOf(policy, key)
  if (rule === undefined) return denial('no_action')
  const before = ruleOf(policy, 'before')
  return evaluate(ctx, deadline, () => {
    const early = before?.(ctx, action, record)
    const unlessEarly = (answer: unknown) => (answer === undefined ? rule(ctx, record) : answer)
    return isPromise(early) ? early.then(unlessEarly) : unlessEarly(early)
  })
}

/** Returns whether the record belongs to the caller's tenant. */
const isOwn = (ctx: PolicyContext, { tenant }: Resource, record: object): boolean =>
  tenant === null || isSameTenant((record as Record<string, unknown>)[tenant], ctx.tenant)

const notOwn = ({ tenant }: PolicyContext): Decision => denial(tenant === null ? 'no_tenant' : 'other_tenant')

interface Change {
  resource: Resource
  before: object
  after: object
}

/** Evaluates `canBecome` for an update. Returns null if the policy has no such rule. Never throws. */
export function decideChange(
  policies: Policies,
  ctx: PolicyContext,
  { resource, before, after }: Change,
  deadline = RULE_DEADLINE,
): Decision | Promise<Decision> | null {
  const policy = policies.get(resource)
  if (policy === undefined) return denial('no_policy')
  if (!isOwn(ctx, resource, before) || !isOwn(ctx, resource, after)) return notOwn(ctx)
  const rule = ruleOf(policy, 'canBecome')
  return rule === undefined ? null : evaluate(ctx, deadline, () => rule(ctx, before, after))
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

function ruleOf({ rules }: AnyPolicy, key: string): Rule | undefined {
  const rule: unknown = Object.hasOwn(rules, key) ? rules[key] : undefined
  return typeof rule === 'function' ? (rule as Rule) : undefined
}

function evaluate(
  ctx: PolicyContext,
  deadline: number,
  callRule: () => unknown,
): Decision | Promise<Decision> {
  if (isAborted(ctx)) return denial('aborted')
  try {
    const answer = callRule()
    return isPromise(answer) ? decisionOnLate(ctx, deadline, answer) : decisionOf(answer)
  } catch (error) {
    return brokenRule(ctx, error)
  }
}

async function decisionOnLate(
  ctx: PolicyContext,
  deadline: number,
  answer: PromiseLike<unknown>,
): Promise<Decision> {
  try {
    const outcome = await outcomeOf(answer, ctx.signal, deadline)
    if ('cause' in outcome) return denial(outcome.cause)
    const decision = decisionOf(outcome.answer)
    return decision.allowed ? ALLOWED_ASYNC : decision
  } catch (error) {
    return brokenRule(ctx, error)
  }
}

const brokenRule = (ctx: PolicyContext, error: unknown): Decision =>
  isAborted(ctx) ? denial('aborted') : { allowed: false, cause: 'error', error }

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as { then?: unknown } | null | undefined)?.then === 'function'

function decisionOf(answer: unknown): Decision {
  // Not `if (answer)`: a promise without `await`, a `Denial` and a 1 are all truthy.
  if (answer === true) return ALLOWED
  if (answer instanceof Denial) return { allowed: false, cause: 'denied', denial: answer }
  return denial(answer === false ? 'denied' : 'invalid_result')
}

const ALLOWED: Decision = Object.freeze({ allowed: true, cause: 'allowed' })
const ALLOWED_ASYNC: Decision = Object.freeze({ ...ALLOWED, isAsync: true })

const denial = (cause: Cause): Decision => ({ allowed: false, cause })

/** Milliseconds that a rule has for its answer, unless the application sets `ruleDeadline`. */
export const RULE_DEADLINE = 5_000

type Outcome<Answer> = { readonly answer: Answer } | { readonly cause: 'aborted' | 'timeout' }

/**
 * Resolves to the rule's answer, or to why there is none: the client has disconnected, or the deadline has passed. A
 * pending rule can't block the request.
 */
export function outcomeOf<Answer>(
  answer: PromiseLike<Answer>,
  signal: AbortSignal,
  deadline: number,
): Promise<Outcome<Answer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<Answer>>()
  const abort = () => resolve({ cause: 'aborted' })
  const timer = setTimeout(() => resolve({ cause: 'timeout' }), deadline)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  answer.then((value) => resolve({ answer: value }), reject)
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  })
}
