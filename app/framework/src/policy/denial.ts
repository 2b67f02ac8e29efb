import type { Request } from 'express'
import type { Logger } from 'pino'
import { originOf } from '../rows/rows.ts'
import { HttpError } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'
import type { Cause, Decision, DecisionEvent, PolicyContext } from './authorization-types.ts'
import { authorizationOf } from './policy-state.ts'

/** A denial with a reason, as `deny` returns it. Other objects with the same properties are invalid answers. */
export class Denial {
  readonly reason: string
  readonly sentence: string | undefined

  constructor(reason: string, sentence: string | undefined) {
    if (!/^[a-z][a-z0-9_]*$/.test(reason))
      throw new Error(`deny('${reason}'): a reason is a word like 'locked' or 'too_old'.`)
    this.reason = reason
    this.sentence = sentence
  }
}

/**
 * Returns a denial with a reason, for a rule of a policy. The reason is always logged. The caller sees the reason
 * and the sentence only if the response is a 403, and the sentence beside a refused value. Throws if the reason is not a
 * word like `too_old`.
 *
 * ```ts
 * canUpdate: (ctx, post) => !post.locked || deny('locked', 'This post is locked.')
 * ```
 */
export const deny = (reason: string, sentence?: string): Denial => new Denial(reason, sentence)

/**
 * The policy denies the action on this record. Depending on `forbidden_response`, the response is a 403 with the
 * policy's reason, or a 404 with exactly the same bytes as for a missing record.
 */
export class Denied extends HttpError {
  constructor(status: 404 | 403, denial?: Decision['denial']) {
    // A 404 has no reason: it would reveal that the record exists.
    if (status === 404) super(404, 'not_found')
    else super(403, 'forbidden', { detail: denial?.sentence, reason: denial?.reason })
  }
}

interface DenialFacts {
  action: string
  /** Null if access to a route was denied, not to a record. */
  resource: Resource | null
  record: object | null
  /** The reason of its denial is that of the rule, or for a limit the counted requests: `writes`, or `POST /exports`. */
  decision: Pick<Decision, 'denial' | 'error'> & { readonly cause: string }
  /** How long the decision took, in milliseconds. */
  ms: number
}

interface DeniedQuestion extends DenialFacts {
  resource: Resource
  /** Returns whether the caller may see the record. Called only if the response depends on it. */
  mayShow: () => Promise<boolean>
}

/** Reports a denial, and returns the error that becomes its response. */
export async function denied(req: Request, ctx: PolicyContext, question: DeniedQuestion): Promise<Denied> {
  reportDenial(req, ctx, question)
  const { action, resource, decision, mayShow } = question
  // The records of other tenants don't exist for the caller, whatever the settings are.
  if (['no_tenant', 'other_tenant'].includes(decision.cause)) return new Denied(404)
  const { registry, forbiddenResponse } = authorizationOf(req.app)
  const response = registry.policies.get(resource)?.forbiddenResponse ?? forbiddenResponse
  const isForbidden =
    response === '403' ||
    (response === 'auto' && (action === 'create' || (action !== 'show' && (await mayShow()))))
  return new Denied(isForbidden && decision.cause !== 'missing' ? 403 : 404, decision.denial)
}

/** Reports a denial to the application, with the id of the record but without its values. */
export function reportDenial(req: Request, ctx: PolicyContext, facts: DenialFacts): void {
  const { action, resource, record, decision, ms } = facts
  const origin = resource && record && originOf(resource, record)
  authorizationOf(req.app).report({
    actor: ctx.userId,
    action,
    resource: resource?.name ?? null,
    id: origin?.id ?? null,
    cause: decision.cause,
    reason: decision.denial?.reason ?? null,
    request_id: req.id,
    ms: Math.round(ms * 1_000) / 1_000,
    ...(decision.error !== undefined && { error: decision.error }),
  })
}

/** Reports that a guard refused access to a route, whatever the record. */
export function reportRefusal(req: Request, ctx: PolicyContext, cause: string, reason?: string): void {
  const denial = reason === undefined ? {} : { denial: { reason, sentence: undefined } }
  const decision = { cause, ...denial }
  reportDenial(req, ctx, { action: 'access', resource: null, record: null, decision, ms: 0 })
}

/** What the log says about a denial whose cause is a mistake in the policy. */
const MISTAKES: Partial<Record<Cause | (string & {}), string>> = {
  error: 'a policy rule threw',
  invalid_result: 'a policy rule returned neither a boolean nor deny()',
  no_action: 'the policy has no rule for the action',
  no_policy: 'the resource has no policy',
  timeout: 'a policy rule did not answer in time',
}

/**
 * Returns a `report` function for `webApplication` that writes each denial to the log: at level `info`, or `error`
 * if the policy is broken or incomplete. It logs ids only, never the values of a row.
 */
export const denialLog =
  (log: Logger) =>
  ({ error, ...event }: DecisionEvent): void => {
    const mistake = MISTAKES[event.cause]
    const name = event.cause === 'missing' ? 'missing' : 'denied'
    if (mistake === undefined) log.info({ event: name, ...event }, name)
    else log.error({ event: 'denied', ...event, ...(error !== undefined && { err: error }) }, mistake)
  }
