import type { Request } from 'express'
import { originOf } from '../database/rows.ts'
import type { Resource } from '../resource/resource.ts'
import { type Decision, decide, decideBecome, type Question } from './decide.ts'
import { denial } from './denial.ts'
import { forgetAnswers, memoryOf } from './memory.ts'
import { type PolicyContext, policyContext } from './policy-context.ts'
import { prove } from './proof.ts'
import { authorizationOf } from './registry.ts'
import { reportDenial } from './report.ts'

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
  prove(row, {
    resource,
    action,
    id: origin.id,
    version: origin.version,
    askAgain: async (newer) => {
      forgetAnswers(await policyContext(req))
      await ask(newer)
    },
    askBecome: (before, changes) => demandBecome(req, { resource, before, changes }),
  })
}

/** Asks `canCreate` about the values that would be stored, the owner filled in; returns them, frozen and proven. */
export async function askAboutDraft(req: Request, resource: Resource, values: object): Promise<object> {
  const draft = Object.freeze({ ...values, ...blankDraft(resource, await policyContext(req)) })
  await demand(req, { action: 'create', resource, record: draft })
  const onlyOnce = () => Promise.reject(new Error(`A draft of ${resource.name} has to be inserted first.`))
  prove(draft, {
    resource,
    action: 'create',
    id: null,
    version: null,
    askAgain: onlyOnce,
    askBecome: onlyOnce,
  })
  return draft
}

/** What the server fills in before anything is typed: the owner. */
export function blankDraft({ owner }: Resource, { userId }: PolicyContext): object {
  return owner === null || userId === null ? {} : { [owner]: userId }
}

const OUR_MISTAKES = new Set<Decision['cause']>(['error', 'invalid_result', 'no_policy'])

/** The answer for a view or a validation, where no is nothing special; a rule that broke is written down all the same. */
export async function isAllowed(req: Request, ctx: PolicyContext, question: Question): Promise<boolean> {
  const { decision, ms } = await answer(req, ctx, question)
  const { action, resource } = question
  const { reported } = memoryOf(ctx)
  const mistake = `${action} ${resource.name} ${decision.cause}`
  // Once for the hundred rows of a page.
  if (OUR_MISTAKES.has(decision.cause) && !reported.has(mistake)) {
    reported.add(mistake)
    report(req, ctx, { ...question, decision, ms })
  }
  return decision.allowed
}

async function demand(req: Request, question: Question): Promise<void> {
  const ctx = await policyContext(req)
  const answered = await answer(req, ctx, question)
  if (!answered.decision.allowed) throw await refusal(req, ctx, { ...question, ...answered })
}

interface Update {
  resource: Resource
  before: object
  changes: object
}

/** Asks `canBecome`, where the policy has one. Without one, nothing that is immutable may change. */
async function demandBecome(req: Request, { resource, before, changes }: Update): Promise<void> {
  const ctx = await policyContext(req)
  const started = performance.now()
  const after = Object.freeze({ ...before, ...changes })
  const { policies } = authorizationOf(req).registry
  const decision = await decideBecome(policies, ctx, { resource, before, after })
  if (decision === null) return refuseImmutable(resource, changes)
  if (decision.allowed) return
  const ms = performance.now() - started
  throw await refusal(req, ctx, { action: 'become', resource, record: before, decision, ms })
}

function refuseImmutable(resource: Resource, changes: object): void {
  const column = Object.keys(changes).find((name) => resource.immutable.includes(name))
  if (column === undefined) return
  throw new Error(
    `${resource.name}.${column} is immutable. An update may change it only where the policy's canBecome says yes.`,
  )
}

interface Answered {
  decision: Decision
  ms: number
}

/** The same question about the same version of a row is asked once. */
async function answer(req: Request, ctx: PolicyContext, question: Question): Promise<Answered> {
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
async function refusal(req: Request, ctx: PolicyContext, denied: Question & Answered): Promise<Error> {
  const { action, resource, record, decision } = denied
  report(req, ctx, denied)
  const { registry, forbiddenResponse } = authorizationOf(req)
  return denial(registry.policies.get(resource)?.forbiddenResponse ?? forbiddenResponse, {
    action,
    refusal: decision.refusal,
    mayShow: async () => (await answer(req, ctx, { action: 'show', resource, record })).decision.allowed,
  })
}

function report(req: Request, ctx: PolicyContext, denied: Question & Answered): void {
  const { action, resource, record, decision, ms } = denied
  reportDenial(req, ctx, {
    action,
    resource: resource.name,
    id: originOf(resource, record)?.id ?? null,
    cause: decision.cause,
    reason: decision.refusal?.reason ?? null,
    ms,
    ...(decision.error !== undefined && { error: decision.error }),
  })
}
