import type { Request } from 'express'
import { currentDatabaseContext } from '../database/executor.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Decision, PolicyContext, Registry } from './authorization-types.ts'
import type { DraftOf, Seen } from './declared-policies.ts'
import { type RecordedDecision, RecordState, type ValidIn } from './record-state.ts'

declare const decidedOn: unique symbol

/**
 * A row on which the policy allowed `Action`. The repository also checks the decision at run time, so that a type cast
 * can't bypass it.
 */
export type Authorized<Action extends string, R extends Resource> = RowOf<Seen<R>> & {
  readonly [decidedOn]: Action
}

/** The values of a new record that the policy allowed to be created. `insert` accepts each draft once. */
export type AuthorizedDraft<R extends Resource> = DraftOf<R> & { readonly [decidedOn]: 'create' }

/** The state of one request, or of a context that `contextOf` returned. */
class RequestState {
  /** The caller, once `policyContext` has been called. */
  context: Promise<PolicyContext> | undefined
  /** The policies and scopes that apply to the caller. Undefined for a context without them. */
  registry: Registry | undefined
  /** Returns whether the client of a request has left. Its signal would listen to the connection from the first use. */
  hasLeft: (() => boolean) | undefined
  /** Receives the answer of each lookup, for an explanation of a decision. */
  lookupTrace?: LookupAnswer[]
  /** The records of the request. */
  readonly records: RecordState
  /** The cached results of rules and lookups, by transaction. */
  readonly memos = new WeakMap<object, Memo>()

  constructor(records = new RecordState()) {
    this.records = records
  }
}

/** The answer of a lookup for a key, or of a scope for `inScope`. */
export interface LookupAnswer {
  /** The declaration of the lookup, as `file:line`. */
  readonly declaredAt: string
  readonly key: string | number
  readonly value: unknown
  /** Set for the answer of a scope to `inScope`, which is the key. */
  readonly isScope?: true
}

/** The results that are reused until the request writes. */
interface Memo {
  readonly decisions: Map<string, Decision | Promise<Decision>>
  /** The loaders of `lookup`, by their function, and of `inScope`, by their question. */
  readonly lookups: Map<object, unknown>
  /** The broken rules that were already reported. */
  readonly reported: Set<string>
  readonly writes: number | undefined
}

/** The state by request, by policy context, and by record with a decision. A copy of a record has no state. */
const states = new WeakMap<object, RequestState>()

/** Returns the state of a request, or of a context. */
export function stateOf(owner: Request | PolicyContext): RequestState {
  let state = states.get(owner)
  if (state === undefined) states.set(owner, (state = new RequestState()))
  return state
}

/** Adds a context to the state of its request, or to a new one. */
export function attachContext(
  ctx: PolicyContext,
  registry: Registry | undefined,
  state = new RequestState(),
): void {
  state.registry = registry
  states.set(ctx, state)
}

/** Returns whether the work for a caller has become pointless: the client of the request left, or a task was aborted. */
export const isAborted = (ctx: PolicyContext): boolean => states.get(ctx)?.hasLeft?.() ?? ctx.signal.aborted

/** Removes the caller and the cached results of a request. Its loaded rows and recorded decisions remain. */
export function forgetContext(req: Request): void {
  states.set(req, new RequestState(stateOf(req).records))
}

/** Returns the policies and scopes that apply to this caller. Returns undefined for a context without them. */
export const registryOf = (ctx: PolicyContext): Registry | undefined => states.get(ctx)?.registry

/** Records that the policy allowed an action on this object. The decision doesn't apply to copies of it. */
export function recordDecision(record: object, decision: RecordedDecision): void {
  const state = stateOf(decision.req)
  const { decisions } = state.records
  const place = currentDatabaseContext()
  const recorded = { ...decision, unit: place?.unit, transaction: place?.transaction ?? null }
  decisions.set(record, [...(decisions.get(record) ?? []), recorded])
  states.set(record, state)
}

/**
 * Returns the fields that the caller may not set by the first allowed change of this object, which is the decision that
 * a write uses. Undefined without one.
 */
export function unsettableIn(record: object): readonly string[] | undefined {
  const decisions = states.get(record)?.records.decisions.get(record)
  return decisions?.find(({ unsettable }) => unsettable !== null)?.unsettable ?? undefined
}

/**
 * Returns the decision that allowed one of these actions on this object, or undefined. It never returns a decision of
 * an earlier request, for example on a row in a cache.
 */
export function recordedDecision(
  record: object,
  resource: Resource,
  actions: readonly string[],
): RecordedDecision | undefined {
  return validDecisions(record, resource).find(({ action }) => actions.includes(action))
}

/** Returns the actions that were allowed on this object. */
export const recordedActions = (record: object, resource: Resource): string[] =>
  validDecisions(record, resource).map(({ action }) => action)

function validDecisions(record: object, resource: Resource): RecordedDecision[] {
  const records = states.get(record)?.records
  if (records === undefined || wasInserted(records, record)) return []
  const decisions = records.decisions.get(record) ?? []
  return decisions.filter((decision) => isValid(decision) && decision.resource === resource)
}

/** A rule may have read rows that its transaction wrote, so that a rollback takes the decision with it. */
const isValid = ({ unit, transaction }: ValidIn): boolean =>
  unit === currentDatabaseContext()?.unit && transaction?.isRolledBack !== true

/** Marks a draft as inserted. It can be inserted again only if the transaction of the insert is rolled back. */
export function markInserted(draft: object): void {
  states.get(draft)?.records.insertedDrafts.set(draft, currentDatabaseContext()?.transaction ?? null)
}

function wasInserted({ insertedDrafts }: RecordState, draft: object): boolean {
  return insertedDrafts.has(draft) && insertedDrafts.get(draft)?.isRolledBack !== true
}

/** Makes writes of this row fail if its version has changed, for a request that contains the version. */
export function requireVersion(req: Request, row: object): void {
  stateOf(req).records.statedVersions.add(row)
}

export const requiresVersion = (row: object): boolean =>
  states.get(row)?.records.statedVersions.has(row) ?? false

/**
 * Returns the cached results of rules and lookups. A write empties the cache, because it may have changed any result.
 * Each transaction has its own cache, because it may see other rows than concurrent code.
 */
export function memoOf(ctx: PolicyContext): Memo {
  const place = currentDatabaseContext()
  const writes = place?.unit.writes
  const { memos } = stateOf(ctx)
  const memo = memos.get(place ?? ctx)
  if (memo !== undefined && memo.writes === writes) return memo
  const fresh = { decisions: new Map(), lookups: new Map(), reported: new Set<string>(), writes }
  memos.set(place ?? ctx, fresh)
  return fresh
}
