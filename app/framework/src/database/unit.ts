import type { Request } from 'express'
import type { Kysely } from 'kysely'
import type { Limiter } from '../http/overload/limiter.ts'
import type { RequestKey } from '../http/server/request-key.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId, Tables } from '../resource/tables.ts'

export const ALL_TENANTS = Symbol('all tenants')

/** Whose rows statements read and write: those of one tenant, of all tenants, or of none for a caller without a tenant. */
export type Tenancy = RecordId | typeof ALL_TENANTS | null

/** A database that answers lists in place of the primary. */
export interface ReadReplica {
  readonly name: string
  readonly db: Kysely<Tables>
}

/** The replicas of a database. They decide which of them a unit reads. */
export interface ReadReplicas {
  readonly all: readonly ReadReplica[]
  /** Returns the replica that lists of this unit read, or null for the primary. */
  of(unit: Unit): ReadReplica | null
  /** Returns whether the primary may answer a read that failed on a replica. */
  isAtFault(replica: ReadReplica, error: unknown): boolean
  end(): Promise<void>
}

/** Sends SQL, and returns the columns of the first row. */
type Ask = (sql: string) => Promise<Readonly<Record<string, unknown>> | undefined>

/** A request, a task or a test: the unit whose statements share connections and a fence. */
export interface Unit {
  /** The number of statements so far that may have written. */
  writes: number
  /** The connections in use, once one was. */
  connections?: Limiter
  readonly fence: Fence | null
  /** Its database, also within transactions and while a replica is read. */
  readonly db: Kysely<Tables>
  readonly cause: Cause
  /** Fails the job or the task with the error of a promise that it didn't await. Undefined for requests. */
  readonly fail?: ((error: unknown) => void) | undefined
  /** The tenant of the caller, once `tenantOf` has returned it. */
  tenant: Tenancy | undefined
  /** Whether the caller has a session: false until it is read. */
  isSignedIn: boolean
  /** The caller whose idempotency key applies to the writes of the unit, also after a sign-out. Undefined until it is read. */
  caller?: { readonly userId: number | null; readonly tenant: RecordId | null }
  /** The idempotency key of the request, once a write has read it. */
  requestKey?: RequestKey
  /** The writes so far that have an idempotency key. */
  keyedWrites?: KeyedWrite[]
  /** The position in the log of the caller's last write in an earlier request. A replica must have reached it to be read. */
  position: bigint | null
  /** The replica that its lists read, or null for the primary. Undefined before the first list. */
  replica?: ReadReplica | null
  /** Called after each committed write, with a function that asks the same session. */
  onWritten?: (ask: Ask) => Promise<void>
}

/** A write of a resource, with its transaction once that has begun. */
export interface KeyedWrite {
  readonly resource: Resource
  transaction: Pick<OpenTransaction, 'isRolledBack'> | null
}

/** The origin of a unit of work. Security events and the history of records contain it. */
export interface Cause {
  /** The request that is being answered. */
  readonly request?: Request
  /** The name of a task or a program that no user called by a request, such as `prune-sessions` or `console`. */
  readonly system?: string
  /** Receives the log lines of a unit without a request. */
  readonly log?: {
    info(fields: Record<string, unknown>, message: string): void
    error(fields: Record<string, unknown>, message: string): void
  }
}

/** A condition that each statement of a unit requires: for a task, that no other process has taken it over. */
export interface Fence {
  /** Called before each statement. Throws if the statement must not be sent. */
  check(sql: string): void
  /** Called at the beginning of each transaction. Makes sure that the condition holds until its end. */
  hold(): Promise<void>
}

/** Where code runs: its database, its unit of work and its transaction. */
export interface DatabaseContext {
  readonly db: Kysely<Tables>
  readonly unit: Unit
  /** Null outside of a transaction, and in a transaction that `inTransaction` didn't open. */
  readonly transaction: OpenTransaction | null
  /** The tenant of `withTenant`, which takes the place of the unit's. */
  readonly tenant?: Tenancy | undefined
  /** Set while queries lock the rows that they return. */
  readonly locksReads?: true
  /** Set within a write that has an idempotency key, which also covers the writes of its hooks. */
  readonly isWrittenOnce?: true
}

/** The state of a transaction. */
export interface OpenTransaction {
  readonly isolation: Isolation
  /** The callbacks to call after the commit. */
  readonly afterCommit: (() => unknown)[]
  /** Set when the transaction begins to end: later statements are rejected. */
  isOver: boolean
  /** Set after a rollback. */
  isRolledBack: boolean
}

/** Isolation levels, weakest first. */
export const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const
export type Isolation = (typeof ISOLATIONS)[number]
