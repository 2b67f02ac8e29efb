import type { Request } from 'express'
import { originOf } from '../database/rows.ts'
import type { Resource } from '../resource/resource.ts'
import { type Decision, decide, type Question } from './decide.ts'
import { denial } from './denial.ts'
import { type PolicyContext, policyContext } from './policy-context.ts'
import { prove } from './proof.ts'
import { authorizationOf } from './registry.ts'

interface Asked {
  action: string
  resource: Resource
}

/** Asks the policy about a row that was read for this request, and keeps the proof of its yes; throws `Denied`. */
export async function askAboutRow(req: Request, { action, resource }: Asked, row: object): Promise<void> {
  const origin = originOf(resource, row)
  if (origin === undefined) throw new Error(`This ${resource.name} is a copy. Pass the row that was loaded.`)
  const ask = (record: object) => demand(req, { action, resource, record })
  await ask(row)
  prove(row, { resource, action, id: origin.id, version: origin.version, askAgain: ask })
}

/** Asks `canCreate` about the values that would be stored, the owner filled in; returns them, frozen and proven. */
export async function askAboutDraft(req: Request, resource: Resource, values: object): Promise<object> {
  const draft = Object.freeze({ ...values, ...blankDraft(resource, await policyContext(req)) })
  const ask = (record: object) => demand(req, { action: 'create', resource, record })
  await ask(draft)
  prove(draft, { resource, action: 'create', id: null, version: null, askAgain: ask })
  return draft
}

/** What the server fills in before anything is typed: the owner. */
export function blankDraft({ owner }: Resource, { userId }: PolicyContext): object {
  return owner === null || userId === null ? {} : { [owner]: userId }
}

const OUR_MISTAKES = new Set<Decision['cause']>(['error', 'invalid_result', 'no_policy'])

/** The answer for a view or a validation, where no is nothing special; a rule that broke is written down all the same. */
export async function isAllowed(req: Request, ctx: PolicyContext, question: Question): Promise<boolean> {
  const { registry } = authorizationOf(req)
  const decision = await decide(registry.policies, ctx, question)
  if (OUR_MISTAKES.has(decision.cause)) report(req, ctx, { ...question, decision })
  return decision.allowed
}

async function demand(req: Request, question: Question): Promise<void> {
  const authorization = authorizationOf(req)
  const ctx = await policyContext(req)
  const decision = await decide(authorization.registry.policies, ctx, question)
  if (decision.allowed) return
  report(req, ctx, { ...question, decision })
  throw await denial(authorization, { ctx, ...question })
}

function report(req: Request, ctx: PolicyContext, denied: Question & { decision: Decision }): void {
  const { action, resource, record, decision } = denied
  authorizationOf(req).report({
    actor: ctx.userId,
    action,
    resource: resource.name,
    id: originOf(resource, record)?.id ?? null,
    cause: decision.cause,
    ...(decision.error !== undefined && { error: decision.error }),
  })
}
