import type { Request } from 'express'
import type { PolicyContext } from './policy-context.ts'
import { authorizationOf, type DecisionEvent } from './registry.ts'

type Denied = Omit<DecisionEvent, 'actor' | 'request_id'>

/** Writes a denial down: ids only, nothing of what a row holds. A log that breaks changes no decision. */
export function reportDenial(req: Request, ctx: PolicyContext, denied: Denied): void {
  const event = {
    ...denied,
    actor: ctx.userId,
    request_id: req.id as string,
    ms: Math.round(denied.ms * 1_000) / 1_000,
  }
  try {
    authorizationOf(req).report(event)
  } catch {
    // The answer is no either way.
  }
}
