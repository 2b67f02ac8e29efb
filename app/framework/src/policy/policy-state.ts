import type { Application, Request } from 'express'
import { currentDatabaseContext } from '../database/executor.ts'
import type { Resource } from '../resource/resource.ts'
import type { Authorization, Decision, PolicyContext, Registry } from './authorization-types.ts'

const AUTHORIZATION = Symbol('authorization')

/** Sets the policies, the scopes and the session lookup of an application, before `mount`. */
export function useAuthorization(app: Application, authorization: Authorization): void {
  requireTenantOf(authorization)
  Object.defineProperty(app, AUTHORIZATION, { value: authorization, configurable: true })
}

/** Throws if a resource has a tenant, and the application doesn't say which tenant a request has. */
function requireTenantOf({ registry, tenantOf }: Authorization): void {
  if (tenantOf !== undefined) return
  const divided = [...registry.policies.keys(), ...registry.scopes.keys()].find(
    ({ tenant }) => tenant !== null,
  )
  if (divided !== undefined)
    throw new Error(
      `${divided.name} has a tenant. Pass tenantOf to webApplication: it returns the tenant of a request.`,
    )
}

export function authorizationOf(app: Application): Authorization {
  const { [AUTHORIZATION]: authorization } = app as { readonly [AUTHORIZATION]?: Authorization }
  if (authorization === undefined)
    throw new Error('This application has no policies. Create it with webApplication.')
  return authorization
}

declare module 'node:http' {
  interface IncomingMessage {
    /** The caller and the records of the request, for its guards. */
    policyState?: RequestState
  }
}

/** What the guards of a request found. */
interface RequestState {
  /** A copy or an heir of the request may have another caller, and so another state. */
  readonly of: Request
  /** The caller, once `policyContext` has been called. */
  context?: Promise<PolicyContext>
  /** The rows that `load` has begun to read, by the name of the record. */
  readonly loading: Map<string, Promise<object | null>>
  /** The rows that `load` found, by the name of the record. */
  readonly rows: Map<string, { readonly resource: Resource; readonly row: object }>
  /** The drafts that `authorize('create', …)` allowed. */
  readonly drafts: Map<Resource, object>
  /** The columns of new records that the path determines: `{ post_id: 7 }` for a comment below `/posts/7`. */
  readonly parents: Map<Resource, object>
}

/** Returns the state of a request. */
export function requestState(req: Request): RequestState {
  if (req.policyState?.of !== req)
    req.policyState = { of: req, loading: new Map(), rows: new Map(), drafts: new Map(), parents: new Map() }
  return req.policyState
}

/** The state of a policy context. */
interface ContextState {
  /** The policies and scopes that apply to the caller. Undefined for a context without them. */
  readonly registry?: Registry | undefined
  /** Returns whether the client of a request has left. Its signal would listen to the connection from the first use. */
  readonly hasLeft?: () => boolean
  /** Receives the answer of each lookup, for an explanation of a decision. */
  lookupTrace?: LookupAnswer[]
  /** The cached results of rules and lookups, by transaction. */
  readonly memos: WeakMap<object, Memo>
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

/** By the context: a copy with another caller must not have the policies of the original. */
const contexts = new WeakMap<PolicyContext, ContextState>()

/** Adds the state to a new context. */
export function attachState(ctx: PolicyContext, state: Omit<ContextState, 'memos'>): void {
  contexts.set(ctx, { ...state, memos: new WeakMap() })
}

/** Returns the state of a context. */
export function contextState(ctx: PolicyContext): ContextState {
  let state = contexts.get(ctx)
  if (state === undefined) contexts.set(ctx, (state = { memos: new WeakMap() }))
  return state
}

/** Returns the policies and scopes that apply to this caller. Returns undefined for a context without them. */
export const registryOf = (ctx: PolicyContext): Registry | undefined => contexts.get(ctx)?.registry

/** Returns whether the work for a caller has become pointless: the client of the request left, or a task was aborted. */
export const isAborted = (ctx: PolicyContext): boolean => contexts.get(ctx)?.hasLeft?.() ?? ctx.signal.aborted

/**
 * Returns the cached results of rules and lookups. A write empties the cache, because it may have changed any result.
 * Each transaction has its own cache, because it may see other rows than concurrent code.
 */
export function memoOf(ctx: PolicyContext): Memo {
  const place = currentDatabaseContext()
  const writes = place?.unit.writes
  const { memos } = contextState(ctx)
  const memo = memos.get(place ?? ctx)
  if (memo !== undefined && memo.writes === writes) return memo
  const fresh = { decisions: new Map(), lookups: new Map(), reported: new Set<string>(), writes }
  memos.set(place ?? ctx, fresh)
  return fresh
}
