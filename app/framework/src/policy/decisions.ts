import { tracingChannel } from 'node:diagnostics_channel'
import type { Request } from 'express'
import { lockingReads } from '../rows/key-share-locks.ts'
import { completeRow, originOf } from '../rows/rows.ts'
import { sqlState } from '../database/sql-states.ts'
import { HttpError } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'
import { acceptedValues } from '../resource/validated.ts'
import type { Decision, PolicyContext } from './authorization-types.ts'
import { decide, type Question } from './decide.ts'
import { type Denied, denied } from './denial.ts'
import { requireSettable, restrictedFields, unsettableFields } from './field-access.ts'
import { policyContext } from './policy-context.ts'
import { refusedDraft } from './refused-values.ts'
import { seenRecord } from './seen-record.ts'
import { memoOf, registryOf, requestState } from './policy-state.ts'
import { recordDecision, type RecordedDecision } from './recorded-decisions.ts'

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
  const seen = await seenRecord(ctx, resource, record)
  recordDecision(seen, { req, resource, action, id: origin.id, version: origin.version, again, unsettable })
  return seen
}

/** Denies, after the same work as for a stored row. The answer of the rule, or its error, is about no record. */
const missing = (decision: Decision | Promise<Decision>): Decision | Promise<Decision> =>
  decision instanceof Promise ? decision.then(() => MISSING) : MISSING

const MISSING: Decision = Object.freeze({ allowed: false, cause: 'missing' })

/** The values of a new record. */
interface DraftValues {
  readonly values?: object
  /** The columns of the values that the code sets. */
  readonly set?: readonly string[] | undefined
  /** The draft that these values complete. */
  readonly draft?: object
}

/**
 * Authorizes the creation of a record with these values, its parents in the path and its owner, and records the
 * decision. Returns the values, frozen. Throws `Denied`, `Invalid` for fields that the caller may not set and for input
 * without which the caller may create a record, and an error for values that are neither validated nor set by the code.
 */
export async function authorizeDraft(
  req: Request,
  resource: Resource,
  { values = {}, set = [], draft: known }: DraftValues = {},
): Promise<object> {
  const ctx = await policyContext(req)
  const server = { ...requestState(req).parents.get(resource), ...blankDraft(resource, ctx) }
  const ours = [...set, ...Object.keys(server)]
  const accepted = acceptedValues(resource, values, { set: ours })
  const chosen = Object.keys(accepted).filter((column) => !ours.includes(column))
  const draft = Object.freeze({ ...known, ...accepted, ...server })
  const action = 'create'
  const question = { action, resource, record: draft, chosen }
  const { isAsync } = await requireAllowed({ req, ctx }, question)
  requireSettable({ req, ctx }, question, draft)
  const again = isAsync ? 'locking' : 'no'
  const unsettable = unsettableFields(ctx, question)
  recordDecision(draft, { req, resource, action, id: null, version: null, chosen, again, unsettable })
  return draft
}

/**
 * Authorizes the action of a recorded decision again, on this version of its record. Throws the errors of the first
 * decision, and see `decideAtWrite`.
 */
export async function authorizeAgain(recorded: RecordedDecision, record: object): Promise<void> {
  const { req, action, resource, chosen } = recorded
  const ctx = await policyContext(req)
  await requireAllowed({ req, ctx }, { action, resource, record, chosen }, (some) =>
    decideAtWrite(recorded, () => decisionOn(ctx, { action, resource, record: some })),
  )
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

interface Caller {
  req: Request
  ctx: PolicyContext
}

interface Required extends Question {
  /** The columns of a draft whose values the caller chose. */
  chosen?: readonly string[] | undefined
}

/** Throws `Denied` unless the action is allowed. Throws `Invalid` if it is denied only because of the `chosen` values. */
async function requireAllowed(
  caller: Caller,
  { chosen, ...question }: Required,
  decideOn = (record: object): Decision | Promise<Decision> =>
    decisionOn(caller.ctx, { ...question, record }),
): Promise<Decision> {
  const { record: draft } = question
  const { decision, denial } = await decisionFor(caller, question, () => decideOn(draft))
  if (denial === null) return decision
  const decide = async (some: object) => decideOn(Object.freeze(some))
  throw (await refusedDraft({ draft, chosen, decision }, decide)) ?? denial
}

const channel = tracingChannel('pergola:decision')

/** Makes a decision, which the channel `pergola:decision` traces, and reports a denial. Returns its error, or null. */
export async function decisionFor(
  { req, ctx }: Caller,
  { action, resource, record }: Question,
  decide: () => Decision | Promise<Decision>,
): Promise<{ decision: Decision; denial: Denied | null }> {
  const started = performance.now()
  const decision = await channel.tracePromise(async () => decide(), { action, resource: resource.name })
  if (decision.allowed) return { decision, denial: null }
  const ms = performance.now() - started
  const facts = { action, resource, record, decision, ms, mayShow: () => mayShow(ctx, resource, record) }
  return { decision, denial: await denied(req, ctx, facts) }
}

/** Returns the policy's decision. One on the same version of a row is reused until the request writes. */
export function decisionOn(ctx: PolicyContext, question: Question): Decision | Promise<Decision> {
  const { action, resource, record } = question
  const origin = originOf(resource, record)
  const decideNow = () =>
    decide(policiesOf(ctx), ctx, { ...question, record: completeRow(record) }, registryOf(ctx)?.ruleDeadline)
  // Decisions on drafts are not reused, because drafts have no id that distinguishes them.
  if (origin === undefined) {
    if (action !== 'create' && restrictedFields(ctx, resource).length > 0) throw mayLackFields(resource)
    return decideNow()
  }
  const { decisions } = memoOf(ctx)
  const key = `${action} ${resource.name} ${origin.id} ${origin.version}`
  let decision = decisions.get(key)
  if (decision === undefined) decisions.set(key, (decision = decideNow()))
  return decision
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
