import type { Resource } from '../resource/resource.ts'
import { Denial } from './deny.ts'
import type { AnyPolicy } from './policy.ts'
import type { PolicyContext } from './policy-context.ts'
import { ruleKey } from './rules.ts'

export type Cause = 'allowed' | 'denied' | 'no_policy' | 'no_action' | 'error' | 'invalid_result' | 'aborted'

export interface Decision {
  readonly allowed: boolean
  readonly cause: Cause
  /** Why the rule said no, where it says why. */
  readonly denial?: Denial
  readonly error?: unknown
}

export interface Question {
  action: string
  resource: Resource
  record: object
}

type Policies = ReadonlyMap<Resource, AnyPolicy>
type Rule = (ctx: PolicyContext, ...asked: unknown[]) => unknown

/** Asks the one rule that answers the question. Only `true` allows; whatever else happens denies. Never throws. */
export async function decide(
  policies: Policies,
  ctx: PolicyContext,
  { action, resource, record }: Question,
): Promise<Decision> {
  const policy = policies.get(resource)
  if (policy === undefined) return no('no_policy')
  const key = ruleKey(action)
  const rule = key === null ? undefined : ruleOf(policy, key)
  if (rule === undefined) return no('no_action')
  const before = ruleOf(policy, 'before')
  if (before === undefined) return settle(ctx, () => rule(ctx, record))
  return settle(ctx, async () => {
    const early = await before(ctx, action, record)
    return early === undefined ? rule(ctx, record) : early
  })
}

interface Change {
  resource: Resource
  before: object
  after: object
}

/** Asks `canBecome` about an update, and nothing else: null where the policy has no such rule. Never throws. */
export async function decideBecome(
  policies: Policies,
  ctx: PolicyContext,
  { resource, before, after }: Change,
): Promise<Decision | null> {
  const policy = policies.get(resource)
  if (policy === undefined) return no('no_policy')
  const rule = ruleOf(policy, 'canBecome')
  return rule === undefined ? null : settle(ctx, () => rule(ctx, before, after))
}

function ruleOf({ rules }: AnyPolicy, key: string): Rule | undefined {
  const rule: unknown = Object.hasOwn(rules, key) ? rules[key] : undefined
  return typeof rule === 'function' ? (rule as Rule) : undefined
}

async function settle(ctx: PolicyContext, ask: () => unknown): Promise<Decision> {
  if (ctx.signal.aborted) return no('aborted')
  try {
    const answer = ask()
    // Most rules answer at once: only a promise can hang.
    return verdict(isPromise(answer) ? await unlessAborted(answer, ctx.signal) : answer)
  } catch (error) {
    return ctx.signal.aborted ? no('aborted') : no('error', { error })
  }
}

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as { then?: unknown } | null | undefined)?.then === 'function'

// `=== true`: a promise nobody awaited, an object that says no, a 1 are all truthy.
function verdict(answer: unknown): Decision {
  if (answer === true) return { allowed: true, cause: 'allowed' }
  if (answer instanceof Denial) return no('denied', { denial: answer })
  return no(answer === false ? 'denied' : 'invalid_result')
}

const no = (cause: Cause, more: Pick<Decision, 'denial' | 'error'> = {}): Decision => ({
  allowed: false,
  cause,
  ...more,
})

/** The answer, or a rejection when the caller goes away: a rule that hangs shall not hang the request. */
function unlessAborted<Answer>(answer: PromiseLike<Answer>, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const abort = () => reject(new Error('The caller went away.'))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  answer.then(resolve, reject)
  return promise.finally(() => signal.removeEventListener('abort', abort))
}
