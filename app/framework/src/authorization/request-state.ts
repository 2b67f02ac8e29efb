import type { Request } from 'express'
import { currentPlace, type OpenTransaction } from '../database/executor.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { PolicyContext, Registry } from './authorization-types.ts'
import type { Decision } from './decide.ts'
import type { DraftOf } from './policy.ts'

declare const decidedOn: unique symbol

/**
 * A row on which the policy allowed `Action`. The repository also checks this at run time, so that a cast doesn't
 * get past it.
 */
export type Authorized<Action extends string, R extends Resource> = RowOf<R> & {
  readonly [decidedOn]: Action
}

/** The values of a new record that the policy allowed to be created. `insert` accepts each draft once. */
export type AuthorizedDraft<R extends Resource> = DraftOf<R> & { readonly [decidedOn]: 'create' }

/** A decision that allowed an action on a record. The repository's writes require one. */
export interface RecordedDecision {
  readonly req: Request
  readonly resource: Resource
  readonly action: string
  /** Null for a draft. */
  readonly id: RecordId | null
  readonly version: string | null
  /** Whether the write decides again in its transaction, because a rule may have read other rows. */
  readonly isProvisional: boolean
}

/** Everything that the framework remembers about one request, or about a context that `contextOf` returned. */
interface RequestState {
  /** The caller, once `policyContext` has been called. */
  context: Promise<PolicyContext> | undefined
  /** The policies and scopes that apply to the caller. Undefined for a context without them. */
  registry: Registry | undefined
  /** The rows that `load` found, by the name of the record. */
  readonly rows: Map<string, { readonly resource: Resource; readonly row: object }>
  /** The drafts that `authorize('create', …)` allowed. */
  readonly drafts: Map<Resource, object>
  /**
   * The decisions that allowed an action, by the record. Like the next two, it doesn't keep the records in memory: a
   * request may insert more drafts than fit.
   */
  readonly decisions: WeakMap<object, (RecordedDecision & ValidIn)[]>
  /** The drafts that were inserted, with the transaction of the insert. */
  readonly insertedDrafts: WeakMap<object, OpenTransaction | null>
  /** The rows whose version the client stated: a write of another version must fail. */
  readonly statedVersions: WeakSet<object>
  /** What rules have returned and read so far, by the transaction. */
  readonly memos: WeakMap<object, Memo>
}

/** The unit of work in which a decision is valid, and the transaction whose rollback makes it invalid. */
interface ValidIn {
  readonly unit: object | undefined
  readonly transaction: OpenTransaction | null
}

/** The results that are reused until the request writes. */
interface Memo {
  readonly decisions: Map<string, Promise<Decision>>
  /** The loaders of `lookup`, by their function. */
  readonly lookups: Map<object, unknown>
  /** The broken rules that were already reported. */
  readonly reported: Set<string>
  readonly writes: number | undefined
}

/** By request, by policy context, and by record with a decision: neither a copy of a record nor a cast has a state. */
const states = new WeakMap<object, RequestState>()

/** Returns the state of a request, or of a context. */
export function stateOf(owner: Request | PolicyContext): RequestState {
  let state = states.get(owner)
  if (state === undefined) states.set(owner, (state = newState()))
  return state
}

/** Adds a context to the state of its request, or to a new one. */
export function attachContext(ctx: PolicyContext, registry: Registry | undefined, state = newState()): void {
  state.registry = registry
  states.set(ctx, state)
}

/** Makes the next caller of the request start without reusable results. Loaded rows and recorded decisions stay. */
export function forgetContext(req: Request): void {
  states.set(req, { ...stateOf(req), context: undefined, registry: undefined, memos: new WeakMap() })
}

/** Returns the policies and scopes that apply to this caller. Undefined for a context that was made without them. */
export const registryOf = (ctx: PolicyContext): Registry | undefined => states.get(ctx)?.registry

/** Records that the policy allowed an action on this very object. */
export function recordDecision(record: object, decision: RecordedDecision): void {
  const state = stateOf(decision.req)
  const place = currentPlace()
  const recorded = { ...decision, unit: place?.unit, transaction: place?.transaction ?? null }
  state.decisions.set(record, [...(state.decisions.get(record) ?? []), recorded])
  states.set(record, state)
}

/**
 * Returns the decision that allowed one of these actions on this very object, or undefined. A row that outlives its
 * request, for example in a cache, has no decision in the next one.
 */
export function recordedDecision(
  record: object,
  resource: Resource,
  actions: readonly string[],
): RecordedDecision | undefined {
  const state = states.get(record)
  if (state === undefined || wasInserted(state, record)) return undefined
  return state.decisions
    .get(record)
    ?.find(
      (decision) => isValid(decision) && decision.resource === resource && actions.includes(decision.action),
    )
}

/** A rule may have read rows that its transaction wrote, so that a rollback takes the decision with it. */
const isValid = ({ unit, transaction }: ValidIn): boolean =>
  unit === currentPlace()?.unit && transaction?.isRolledBack !== true

/** Marks a draft as inserted. It can be inserted again only if the transaction of the insert is rolled back. */
export function markInserted(draft: object): void {
  states.get(draft)?.insertedDrafts.set(draft, currentPlace()?.transaction ?? null)
}

function wasInserted({ insertedDrafts }: RequestState, draft: object): boolean {
  return insertedDrafts.has(draft) && insertedDrafts.get(draft)?.isRolledBack !== true
}

/** Makes writes of this row fail if its version has changed: the client stated the version that it saw. */
export function requireVersion(req: Request, row: object): void {
  stateOf(req).statedVersions.add(row)
}

export const requiresVersion = (row: object): boolean => states.get(row)?.statedVersions.has(row) ?? false

/**
 * Returns the results that rules can reuse. A write may change any of them, so they are dropped then. A transaction
 * sees other rows than the code that runs beside it, so it has results of its own.
 */
export function memoOf(ctx: PolicyContext): Memo {
  const place = currentPlace()
  const writes = place?.unit.writes
  const { memos } = stateOf(ctx)
  const memo = memos.get(place ?? ctx)
  if (memo !== undefined && memo.writes === writes) return memo
  const fresh = { decisions: new Map(), lookups: new Map(), reported: new Set<string>(), writes }
  memos.set(place ?? ctx, fresh)
  return fresh
}

const newState = (): RequestState => ({
  context: undefined,
  registry: undefined,
  rows: new Map(),
  drafts: new Map(),
  decisions: new WeakMap(),
  insertedDrafts: new WeakMap(),
  statedVersions: new WeakSet(),
  memos: new WeakMap(),
})
