import type { Request } from 'express'
import type { OpenTransaction } from '../database/unit.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'

/** A decision that allowed an action on a record. The repository's writes require one. */
export interface RecordedDecision {
  readonly req: Request
  readonly resource: Resource
  readonly action: string
  /** Null for a draft. */
  readonly id: RecordId | null
  readonly version: string | null
  /**
   * Whether the write decides again in its transaction, because a rule may have read other rows: `locking` the rows
   * that the rule reads, or only `reading` them.
   */
  again: 'no' | 'locking' | 'reading'
  /** The fields that the caller may not set by this action. Null if it never changes a column by an update. */
  readonly unsettable: readonly string[] | null
}

/** The unit of work in which a decision is valid, and the transaction whose rollback makes it invalid. */
export interface ValidIn {
  readonly unit: object | undefined
  readonly transaction: OpenTransaction | null
}

/** The records of one request, and the decisions on them. */
export class RecordState {
  /** The rows that `load` found, by the name of the record. */
  readonly rows = new Map<string, LoadedRow>()
  /** The drafts that `authorize('create', …)` allowed. */
  readonly drafts = new Map<Resource, object>()
  /** The columns of new records that the path determines: `{ post_id: 7 }` for a comment below `/posts/7`. */
  readonly parents = new Map<Resource, object>()
  /**
   * The decisions that allowed an action, by record. The keys are weak, as in the next two fields, so that a request can
   * insert more drafts than fit into memory.
   */
  readonly decisions = new WeakMap<object, (RecordedDecision & ValidIn)[]>()
  /** The drafts that were inserted, with the transaction of the insert. */
  readonly insertedDrafts = new WeakMap<object, OpenTransaction | null>()
  /** The rows whose version was in the request. A write must fail if the row has another version by then. */
  readonly statedVersions = new WeakSet<object>()
}

interface LoadedRow {
  readonly resource: Resource
  readonly row: object
}
