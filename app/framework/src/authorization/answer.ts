import type { Request } from 'express'
import { originOf } from '../database/rows.ts'
import { type Decision, decide, type Question } from './decide.ts'
import { deniedAs } from './denial.ts'
import { memoryOf } from './memory.ts'
import type { PolicyContext } from './policy-context.ts'
import { authorizationOf } from './registry.ts'
import { reportDenial } from './report.ts'

export interface Answered {
  decision: Decision
  ms: number
}

/** The same question about the same version of a row is asked once. */
export async function answer(req: Request, ctx: PolicyContext, question: Question): Promise<Answered> {
  const started = performance.now()
  const { policies } = authorizationOf(req).registry
  const origin = originOf(question.resource, question.record)
  const key = `${question.action} ${question.resource.name} ${origin?.id} ${origin?.version}`
  const { answers } = memoryOf(ctx)
  const asked = answers.get(key) ?? decide(policies, ctx, question)
  // A draft has no id: two of them would be one question.
  if (origin !== undefined) answers.set(key, asked)
  return { decision: await asked, ms: performance.now() - started }
}

/** Writes the denial down, and gives the error that answers it. */
export async function toDenied(
  req: Request,
  ctx: PolicyContext,
  denied: Question & Answered,
): Promise<Error> {
  const { action, resource, record, decision } = denied
  report(req, ctx, denied)
  const { registry, forbiddenResponse } = authorizationOf(req)
  return deniedAs(registry.policies.get(resource)?.forbiddenResponse ?? forbiddenResponse, {
    action,
    denial: decision.denial,
    mayShow: async () => (await answer(req, ctx, { action: 'show', resource, record })).decision.allowed,
  })
}

export function report(req: Request, ctx: PolicyContext, denied: Question & Answered): void {
  const { action, resource, record, decision, ms } = denied
  reportDenial(req, ctx, {
    action,
    resource: resource.name,
    id: originOf(resource, record)?.id ?? null,
    cause: decision.cause,
    reason: decision.denial?.reason ?? null,
    ms,
    ...(decision.error !== undefined && { error: decision.error }),
  })
}
