import type { Request } from 'express'
import { currentDatabaseContext } from '../database/executor.ts'
import type { OpenTransaction } from '../database/unit.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { Seen } from './field-access.ts'
import type { DraftOf } from './policy.ts'

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

/** A decision that allowed an action on a record. The repository's writes require one. */
export interface RecordedDecision {
  readonly req: Request
  readonly resource: Resource
  readonly action: string
  /** Null for a draft. */
  readonly id: RecordId | null
  readonly version: string | null
  /** The columns of a draft whose values the caller chose. */
  readonly chosen?: readonly string[]
  /**
   * Whether the write decides again in its transaction, because a rule may have read other rows: `locking` the rows
   * that the rule reads, or only `reading` them.
   */
  again: 'no' | 'locking' | 'reading'
  /** The fields that the caller may not set by this action. Null if it never changes a column by an update. */
  readonly unsettable: readonly string[] | null
}

/** A decision with the unit of work in which it is valid, and the transaction whose rollback makes it invalid. */
interface StoredDecision extends RecordedDecision {
  readonly unit: object | undefined
  readonly transaction: OpenTransaction | null
}

/** The decisions of a request on one record. */
interface RecordState {
  readonly req: Request
  readonly decisions: StoredDecision[]
  /** The transaction in which the draft was inserted. Null without one, undefined if it was not inserted. */
  insertedIn?: OpenTransaction | null
  /** Whether the request contained the version of the row. A write must fail if the row has another version by then. */
  isVersionStated?: true
}

/** By the record: a copy of it has no decisions. A request can insert more drafts than fit into memory. */
const states = new WeakMap<object, RecordState>()

/** Returns the state of a record in this request. The decisions of an earlier request, on a row in a cache, are dropped. */
function stateIn(req: Request, record: object): RecordState {
  let state = states.get(record)
  if (state?.req !== req) states.set(record, (state = { req, decisions: [] }))
  return state
}

/** Records that the policy allowed an action on this object. The decision doesn't apply to copies of it. */
export function recordDecision(record: object, decision: RecordedDecision): void {
  const place = currentDatabaseContext()
  const stored = { ...decision, unit: place?.unit, transaction: place?.transaction ?? null }
  stateIn(decision.req, record).decisions.push(stored)
}

/**
 * Returns the fields that the caller may not set by the first allowed change of this object, which is the decision that
 * a write uses. Undefined without one.
 */
export const unsettableIn = (record: object): readonly string[] | undefined =>
  states.get(record)?.decisions.find(({ unsettable }) => unsettable !== null)?.unsettable ?? undefined

/**
 * Returns the decision that allowed one of these actions on this object, or undefined. It never returns a decision of
 * an earlier request, for example on a row in a cache.
 */
export const recordedDecision = (
  record: object,
  resource: Resource,
  actions: readonly string[],
): RecordedDecision | undefined =>
  validDecisions(record, resource).find(({ action }) => actions.includes(action))

/** Returns the actions that were allowed on this object. */
export const recordedActions = (record: object, resource: Resource): string[] =>
  validDecisions(record, resource).map(({ action }) => action)

function validDecisions(record: object, resource: Resource): RecordedDecision[] {
  const state = states.get(record)
  if (state === undefined || isInserted(state)) return []
  return state.decisions.filter((decision) => isValid(decision) && decision.resource === resource)
}

/** A rule may have read rows that its transaction wrote, so that a rollback takes the decision with it. */
const isValid = ({ unit, transaction }: StoredDecision): boolean =>
  unit === currentDatabaseContext()?.unit && transaction?.isRolledBack !== true

/** Marks a draft with a decision as inserted. It can be inserted again only if the transaction is rolled back. */
export function markInserted(draft: object): void {
  const state = states.get(draft)
  if (state !== undefined) state.insertedIn = currentDatabaseContext()?.transaction ?? null
}

const isInserted = ({ insertedIn }: RecordState): boolean =>
  insertedIn !== undefined && insertedIn?.isRolledBack !== true

/** Makes writes of this row fail if its version has changed, for a request that contains the version. */
export function requireVersion(req: Request, row: object): void {
  stateIn(req, row).isVersionStated = true
}

export const requiresVersion = (row: object): boolean => states.get(row)?.isVersionStated === true
