import type { Request } from 'express'
import type { OpenTransaction } from '../database/executor.ts'
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
  #rows: Map<string, LoadedRow> | undefined
  #drafts: Map<Resource, object> | undefined
  #parents: Map<Resource, object> | undefined
  #decisions: WeakMap<object, (RecordedDecision & ValidIn)[]> | undefined
  #insertedDrafts: WeakMap<object, OpenTransaction | null> | undefined
  #statedVersions: WeakSet<object> | undefined

  /** The rows that `load` found, by the name of the record. */
  get rows(): Map<string, LoadedRow> {
    return (this.#rows ??= new Map())
  }

  /** The drafts that `authorize('create', …)` allowed. */
  get drafts(): Map<Resource, object> {
    return (this.#drafts ??= new Map())
  }

  /** The columns of new records that the path determines: `{ post_id: 7 }` for a comment below `/posts/7`. */
  get parents(): Map<Resource, object> {
    return (this.#parents ??= new Map())
  }

  /**
   * The decisions that allowed an action, by record. The keys are weak, as in the next two fields, so that a request can
   * insert more drafts than fit into memory.
   */
  get decisions(): WeakMap<object, (RecordedDecision & ValidIn)[]> {
    return (this.#decisions ??= new WeakMap())
  }

  /** The drafts that were inserted, with the transaction of the insert. */
  get insertedDrafts(): WeakMap<object, OpenTransaction | null> {
    return (this.#insertedDrafts ??= new WeakMap())
  }

  /** The rows whose version was in the request. A write must fail if the row has another version by then. */
  get statedVersions(): WeakSet<object> {
    return (this.#statedVersions ??= new WeakSet())
  }
}

interface LoadedRow {
  readonly resource: Resource
  readonly row: object
}
