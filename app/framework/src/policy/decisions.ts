import type { Request } from 'express'
import { lockingReads } from '../rows/key-share-locks.ts'
import { completeRow, originOf } from '../rows/rows.ts'
import { sqlState } from '../database/sql-states.ts'
import { HttpError } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'
import { acceptedValues } from '../resource/validated.ts'
import type { Cause, Decision, PolicyContext } from './authorization-types.ts'
import { type Decide, decider, type Question } from './decide.ts'
import { denied, reportDenial } from './denial.ts'
import { requireSettable, restrictedFields, seenRow, unsettableFields } from './field-access.ts'
import { policyContext } from './policy-context.ts'
import type { RecordedDecision } from './record-state.ts'
import { memoOf, recordDecision, registryOf, stateOf } from './request-state.ts'

/** The actions that never change a column by an update. */
const NO_CHANGES = new Set(['show', 'delete', 'restore'])

/**
 * Authorizes an action on a row that was read for this request, and records the decision. Returns the row as the caller
 * sees it. Throws `Denied`.
 */
export async function authorizeRow(req: Request, question: Question): Promise<object> {
  const { action, resource, record } = question
  const origin = originOf(resource, record)
  if (origin === undefined) throw new Error(`This ${resource.name} is a copy. Pass the row that was loaded.`)
  const ctx = await policyContext(req)
  const decideOn = () => decisionOn(ctx, question)
  const { isAsync } = await requireAllowed(
    { req, ctx },
    question,
    origin.isMissing ? () => missing(decideOn()) : decideOn,
  )
  const again = isAsync || (!NO_CHANGES.has(action) && hasChangeRule(ctx, resource)) ? 'locking' : 'no'
  const unsettable = NO_CHANGES.has(action) ? null : unsettableFields(ctx, question)
  const seen = seenRow(ctx, resource, record)
  recordDecision(seen, { req, resource, action, id: origin.id, version: origin.version, again, unsettable })
  return seen
}

/** Denies, after the same work as for a stored row. The answer of the rule, or its error, is about no record. */
const missing = (decision: Decision | Promise<Decision>): Decision | Promise<Decision> =>
  decision instanceof Promise ? decision.then(() => MISSING) : MISSING

const MISSING: Decision = Object.freeze({ allowed: false, cause: 'missing' })

/** The values of a new record. */
export interface DraftValues {
  readonly values?: object
  /** The columns of the values that the code sets. */
  readonly set?: readonly string[] | undefined
  /** The draft that these values complete. */
  readonly draft?: object
}

/**
 * Authorizes the creation of a record with these values, its parents in the path and its owner, and records the
 * decision. Returns the values, frozen. Throws `Denied`, `Invalid` for fields that the caller may not set, and an error
 * for values that are neither validated nor set by the code.
 */
export async function authorizeDraft(
  req: Request,
  resource: Resource,
  { values = {}, set = [], draft: known }: DraftValues = {},
): Promise<object> {
  const ctx = await policyContext(req)
  const server = { ...stateOf(req).records.parents.get(resource), ...blankDraft(resource, ctx) }
  const accepted = acceptedValues(resource, values, { set: [...set, ...Object.keys(server)] })
  const draft = Object.freeze({ ...known, ...accepted, ...server })
  const question = { action: 'create', resource, record: draft }
  const { isAsync } = await requireAllowed({ req, ctx }, question)
  requireSettable({ req, ctx }, question, draft)
  const again = isAsync ? 'locking' : 'no'
  const unsettable = unsettableFields(ctx, question)
  recordDecision(draft, { req, resource, action: 'create', id: null, version: null, again, unsettable })
  return draft
}

/**
 * Authorizes the action of a recorded decision again, on this version of its record. Throws `Denied`, and see
 * `decideAtWrite`.
 */
export async function authorizeAgain(recorded: RecordedDecision, record: object): Promise<void> {
  const { req, action, resource } = recorded
  const ctx = await policyContext(req)
  const question = { action, resource, record }
  const decide = () => decideAtWrite(recorded, () => decisionOn(ctx, question))
  await requireAllowed({ req, ctx }, question, decide)
}

/** A synchronous rule was asynchronous this time, so the write has to begin again in a transaction. */
export class NeedsTransaction extends Error {}

/**
 * Makes a decision at the time of a write. In its transaction, locks the rows that the rule reads, and throws the
 * errors of the database: the caller was allowed before, so a 503 reveals nothing, and a denial would be wrong. Throws
 * `NeedsTransaction` if the rule reads other rows outside of the write's transaction.
 */
export async function decideAtWrite(
  { again }: RecordedDecision,
  decide: () => Decision | Promise<Decision>,
): Promise<Decision> {
  const decision = await (again === 'locking' ? lockingReads(decide) : decide())
  if (again === 'no' && decision.isAsync) throw new NeedsTransaction()
  const { error } = decision
  if (again !== 'no' && (sqlState(error) !== null || error instanceof HttpError)) throw error
  return decision
}

/** Returns the columns of a new record that the server fills in: its owner and its tenant. */
export function blankDraft({ owner, tenant }: Resource, ctx: PolicyContext): object {
  return {
    ...(owner !== null && ctx.userId !== null && { [owner]: ctx.userId }),
    ...(tenant !== null && ctx.tenant !== null && { [tenant]: ctx.tenant }),
  }
}

/**
 * Returns whether the policy allows the action, for views and validation. Reports no ordinary denial, but a mistake in
 * the policy, once per request: see `BROKEN`.
 */
export const isAllowed = (
  req: Request,
  ctx: PolicyContext,
  { record, ...action }: Question,
): boolean | Promise<boolean> => allowing(req, ctx, action)(record)

type ActionOn = Omit<Question, 'record'>

/** Returns `isAllowed` for the records of a list. Use it at once: a write changes what it looked up. */
export function allowing(
  req: Request,
  ctx: PolicyContext,
  action: ActionOn,
): (record: object) => boolean | Promise<boolean> {
  const started = performance.now()
  const decideOn = decisionsOn(ctx, action)
  const answer = (record: object, decision: Decision): boolean => {
    if (BROKEN.has(decision.cause)) reportOnce({ req, ctx }, { ...action, record, decision, started })
    return decision.allowed
  }
  return (record) => {
    const pending = decideOn(record)
    return pending instanceof Promise ? pending.then((late) => answer(record, late)) : answer(record, pending)
  }
}

interface Broken extends Question {
  decision: Decision
  started: number
}

/** Reports each problem once for all rows of a page. */
function reportOnce({ req, ctx }: Caller, { started, ...facts }: Broken): void {
  const { reported } = memoOf(ctx)
  const problem = `${facts.action} ${facts.resource.name} ${facts.decision.cause}`
  if (!reported.has(problem)) reportDenial(req, ctx, { ...facts, ms: performance.now() - started })
  reported.add(problem)
}

/** The causes of a denial that are mistakes in the policy. */
const BROKEN = new Set<Cause>(['error', 'invalid_result', 'no_policy', 'timeout'])

interface Caller {
  req: Request
  ctx: PolicyContext
}

async function requireAllowed(
  { req, ctx }: Caller,
  question: Question,
  decide: () => Decision | Promise<Decision> = () => decisionOn(ctx, question),
): Promise<Decision> {
  const started = performance.now()
  const pending = decide()
  const decision = pending instanceof Promise ? await pending : pending
  if (decision.allowed) return decision
  throw await denied(req, ctx, {
    ...question,
    decision,
    ms: performance.now() - started,
    mayShow: () => mayShow(ctx, question.resource, question.record),
  })
}

/** Returns the policy's decision: see `decisionsOn`. */
const decisionOn = (ctx: PolicyContext, { record, ...action }: Question): Decision | Promise<Decision> =>
  decisionsOn(ctx, action)(record)

/** Returns the policy's decisions. Decisions on the same version of a row are reused until the request writes. */
function decisionsOn(ctx: PolicyContext, { action, resource }: ActionOn): Decide {
  const decideNow = decider(policiesOf(ctx), ctx, { action, resource }, registryOf(ctx)?.ruleDeadline)
  const { decisions } = memoOf(ctx)
  const start = `${action} ${resource.name}`
  return (record) => {
    const origin = originOf(resource, record)
    // Decisions on drafts are not reused, because drafts have no id that distinguishes them.
    if (origin === undefined) {
      if (action !== 'create' && restrictedFields(ctx, resource).length > 0) throw mayLackFields(resource)
      return decideNow(completeRow(record))
    }
    const key = `${start} ${origin.id} ${origin.version}`
    let decision = decisions.get(key)
    if (decision === undefined) decisions.set(key, (decision = decideNow(completeRow(record))))
    return decision
  }
}

/** A rule could mistake an unseen field for an empty one. */
const mayLackFields = ({ name }: Resource) =>
  new Error(
    `This ${name} is a copy or comes from a batch, and it may lack fields that the caller doesn't see. Pass the row that was loaded.`,
  )

/** Returns whether the policy has `canBecome`. It is called at the time of an update, and may read other rows. */
export const hasChangeRule = (ctx: PolicyContext, resource: Resource): boolean =>
  policiesOf(ctx).get(resource)?.rules['canBecome'] !== undefined

export const policiesOf = (ctx: PolicyContext) => registryOf(ctx)?.policies ?? NO_POLICIES
const NO_POLICIES = new Map<never, never>()

export const mayShow = async (ctx: PolicyContext, resource: Resource, record: object): Promise<boolean> =>
  (await decisionOn(ctx, { action: 'show', resource, record })).allowed
