import type { Request } from 'express'
import type { Expression, SqlBool } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import type { Resource } from '../resource/resource.ts'
import type { RecordId, Tables } from '../resource/tables.ts'

/** A signed-in user's session, read from the database for every request. */
export interface Session {
  /** Identifies the session, not the user. */
  readonly id: string
  readonly userId: number
  /** The user's name, as pages show it. */
  readonly name: string
  readonly roles: readonly string[]
  /** Whether the user has proved the email address. Left out: no, for `secured({ verified: true })`. */
  readonly verified?: boolean
  /**
   * Seconds since the user signed in or entered the password again, by the clock of the database. Null or left out: unknown, which
   * `recentlyConfirmed` refuses.
   */
  readonly confirmedSecondsAgo?: number | null
}

/**
 * The roles of the application. Each one is added by name, so that a misspelt role doesn't compile:
 * `declare module 'pergola' { interface Roles { admin: true } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Roles {}

/** The name of a role, one of `Roles`. */
export type Role = keyof Roles & string

/** The caller, as policies and scopes see them. */
export interface PolicyContext {
  /** Null for a guest. */
  readonly session: Session | null
  /** Null for a guest. */
  readonly userId: number | null
  readonly roles: readonly string[]
  /** The id that `tenantOf` returned. Null for a caller without a tenant. */
  readonly tenant: RecordId | null
  hasRole(name: Role): boolean
  /** Returns whether `ownerId` is the caller's id. Returns false for guests, even if the row has no owner. */
  owns(ownerId: number | null | undefined): boolean
  /**
   * Reads related rows, in the open transaction if there is one. Undefined without a database, as in a unit test. See
   * `lookup` for rules about many rows.
   */
  readonly db: ReadonlyKysely<Tables> | undefined
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * The response to a denied request.
 *
 * - `404`: the response for a missing record.
 * - `403`: with the policy's reason.
 * - `auto`: 403 if the caller may see the record, 404 otherwise. A denied `create` is a 403.
 */
export type ForbiddenResponse = '404' | '403' | 'auto'

/** The parts of a policy that don't depend on its rules. */
export interface PolicyFacts<R extends Resource> {
  readonly resource: R
  /** The response to a denial for this resource; defaults to the application's `forbidden_response`. */
  readonly forbiddenResponse?: ForbiddenResponse
  /** The declaration, as `file:line`. */
  readonly declaredAt: string
}

export type Cause =
  | 'allowed'
  | 'denied'
  | 'missing'
  | 'no_tenant'
  | 'other_tenant'
  | 'no_policy'
  | 'no_action'
  | 'error'
  | 'invalid_result'
  | 'timeout'
  | 'aborted'

export interface Decision {
  readonly allowed: boolean
  readonly cause: Cause
  /** The reason that the rule returned with its denial: see `deny`. */
  readonly denial?: { readonly reason: string; readonly sentence: string | undefined }
  readonly error?: unknown
  /** Set if an asynchronous rule allowed the action: it may have read other rows. */
  readonly isAsync?: true
}

type AnyRule = (ctx: PolicyContext, ...records: never[]) => unknown

/** The rules of a field of any resource. */
export interface AnyFieldRule {
  readonly see?: AnyRule
  readonly set?: AnyRule
}

/**
 * The answers of a policy about single fields: which ones a caller sees in a record, and which ones the caller may set.
 * `fieldRules` returns them. The methods get rows with all fields.
 */
export interface FieldAccess<Restricted extends string = string> {
  readonly resource: Resource
  /** The rules that decide, by field. The security manifest names them. */
  readonly rules: Readonly<Record<string, AnyFieldRule>>
  /** The fields that some callers don't see, or may not set. */
  readonly fields: readonly string[]
  /** The fields that some callers don't see. */
  readonly restricted: readonly Restricted[]
  sees(ctx: PolicyContext, field: string, row: object): boolean
  /** Returns whether the caller sees the field in every row. */
  seesInAllRows(ctx: PolicyContext, field: string): boolean
  /** Returns whether the caller may set the field by this action: in a stored row, or in the draft of a new one. */
  maySet(ctx: PolicyContext, field: string, change: { record: object; action: string }): boolean
}

/**
 * The policies of the application, by the name of their resource, so that a misspelt action doesn't compile:
 * `declare module 'pergola' { interface Policies { Post: typeof postPolicy } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Policies {}

/** A policy of any resource, for registries. */
export interface AnyPolicy extends PolicyFacts<Resource> {
  readonly rules: Readonly<Record<string, AnyRule>>
  readonly fields?: FieldAccess | undefined
}

/** A scope of any resource, for registries. */
export interface AnyScope {
  readonly resource: Resource
  readonly variants: object
  /** The declaration, as `file:line`. */
  readonly declaredAt: string
  readonly where: (ctx: PolicyContext, is: never) => Expression<SqlBool>
}

/** The policies and scopes of an application, by resource: see `registryOfResources`. */
export interface Registry {
  readonly policies: ReadonlyMap<Resource, AnyPolicy>
  readonly scopes: ReadonlyMap<Resource, AnyScope>
  /** The resources whose repository has `primaryReads`. */
  readonly primaryReads?: ReadonlySet<Resource>
  /** Milliseconds that a rule has for its answer; then it denies. Defaults to 5,000. */
  readonly ruleDeadline?: number
  /** Called for each list that is empty because its resource has no scope. */
  readonly onMissingScope?: (resource: Resource) => void
}

/** Returns the id of the tenant of a request, or null for a caller without one. */
export type TenantOf = (req: Request, session: Session | null) => RecordId | null | Promise<RecordId | null>

/** The policies, the scopes and the session lookup of an application. */
export interface Authorization {
  readonly registry: Registry
  readonly forbiddenResponse: ForbiddenResponse
  /** Reads the session of the request's cookie. Null for a guest and for a session that has ended. */
  readonly findSession: (req: Request) => Promise<Session | null>
  /**
   * Returns the tenant of a request, for example the account of the signed-in user or that of the host name; null for a
   * caller without one. Called once for each request, after `findSession`. Required if a resource has a `tenant`.
   */
  readonly tenantOf?: TenantOf
  /** Receives each denial: see `denialLog`. */
  readonly report: (event: DecisionEvent) => void
}

/**
 * A denial, as `report` of `webApplication` receives it. A request for a missing record is reported too, with the cause
 * `missing`, so that its response takes as long. It contains ids, never other values of a row.
 */
export interface DecisionEvent {
  /** The caller's user id; null for a guest. */
  readonly actor: number | null
  readonly action: string
  /** The resource's name; null if a route was denied: the caller had no session, lacked a role, or reached a limit. */
  readonly resource: string | null
  readonly id: RecordId | null
  /** Why access was denied, as a code: `denied`, `missing`, `guest`, `missing_role`, `unverified`, `unconfirmed`, `rate_limit`, … */
  readonly cause: string
  /** The reason that the rule passed to `deny`. For `rate_limit`, the counted requests: `writes`, or `POST /exports`. */
  readonly reason: string | null
  readonly request_id: string
  /** How long the decision took, in milliseconds. */
  readonly ms: number
  /** The error that the rule threw. */
  readonly error?: unknown
}
