import type { Resource } from '../resource/resource.ts'
import type { AnyPolicy } from './policy.ts'
import type { PolicyContext } from './policy-context.ts'

export type Cause = 'allowed' | 'denied' | 'no_policy' | 'no_action' | 'error' | 'invalid_result'

export interface Decision {
  readonly allowed: boolean
  readonly cause: Cause
  readonly error?: unknown
}

export interface Question {
  action: string
  resource: Resource
  record: object
}

/** Asks the one rule that answers the question. Only `true` allows; whatever else happens denies. Never throws. */
export async function decide(
  policies: ReadonlyMap<Resource, AnyPolicy>,
  ctx: PolicyContext,
  { action, resource, record }: Question,
): Promise<Decision> {
  const policy = policies.get(resource)
  if (policy === undefined) return deny('no_policy')
  const key = ruleName(action)
  const rule = Object.hasOwn(policy.rules, key) ? policy.rules[key] : undefined
  if (typeof rule !== 'function') return deny('no_action')
  try {
    return settle(await rule(ctx, record as never))
  } catch (error) {
    return deny('error', error)
  }
}

const ruleName = (action: string): string => `can${action.charAt(0).toUpperCase()}${action.slice(1)}`

// `=== true`: a promise nobody awaited, an object that says no, a 1 are all truthy.
function settle(answer: unknown): Decision {
  if (answer === true) return { allowed: true, cause: 'allowed' }
  return deny(answer === false ? 'denied' : 'invalid_result')
}

const deny = (cause: Cause, error?: unknown): Decision => ({
  allowed: false,
  cause,
  ...(error !== undefined && { error }),
})
