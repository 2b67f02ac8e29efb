import type { Request } from 'express'
import { originOf } from '../database/rows.ts'
import type { Resource } from '../resource/resource.ts'
import { answer, report, toDenied } from './answer.ts'
import { askBecome } from './ask-become.ts'
import type { Decision, Question } from './decide.ts'
import { memoryOf } from './memory.ts'
import { type PolicyContext, policyContext } from './policy-context.ts'
import { prove } from './proof.ts'

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
    askAgain: ask,
    askBecome: (before, changes) => askBecome(req, { resource, before, changes }),
  })
}

/** Asks `canCreate` about the values that would be stored, the owner filled in; returns them, frozen and proven. */
export async function askAboutDraft(req: Request, resource: Resource, values: object): Promise<object> {
  const draft = Object.freeze({ ...values, ...blankDraft(resource, await policyContext(req)) })
  const ask = (record: object) => demand(req, { action: 'create', resource, record })
  await ask(draft)
  const onlyOnce = () => Promise.reject(new Error(`A draft of ${resource.name} has to be inserted first.`))
  prove(draft, {
    resource,
    action: 'create',
    id: null,
    version: null,
    askAgain: ask,
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
  if (!answered.decision.allowed) throw await toDenied(req, ctx, { ...question, ...answered })
}
