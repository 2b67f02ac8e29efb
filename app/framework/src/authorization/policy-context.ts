import type { Request } from 'express'
import type { Kysely } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import { database } from '../database/executor.ts'
import { Unavailable } from '../http/errors.ts'
import type { Tables } from '../resource/tables.ts'
import { authorizationOf, type Registry } from './registry.ts'

/** Who a session belongs to, read afresh for every request. */
export interface Session {
  readonly id: string
  readonly userId: number
  readonly name: string
  readonly roles: readonly string[]
}

/**
 * The roles of the application, so that a misspelt one doesn't compile:
 * `declare module 'pergola' { interface Roles { admin: true } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Roles {}
export type Role = keyof Roles & string

/** Everything a policy or a scope may know of the caller. */
export interface PolicyContext {
  readonly session: Session | null
  /** Null for a guest. */
  readonly userId: number | null
  readonly roles: readonly string[]
  hasRole(name: Role): boolean
  /** True when the caller is signed in and `ownerId` is their id; a guest never owns a row without an owner. */
  owns(ownerId: number | null | undefined): boolean
  /**
   * For rules that consult related rows: on the primary, within the transaction that is open when it is used. Undefined
   * where there is no database, as in a plain unit test.
   */
  readonly db: ReadonlyKysely<Tables> | undefined
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
}

const contexts = new WeakMap<Request, Promise<PolicyContext>>()
const registries = new WeakMap<PolicyContext, Registry>()

/** The caller of this request; read once. Throws `Unavailable` when a session can't be looked up: never a guest by accident. */
export function policyContext(req: Request): Promise<PolicyContext> {
  const known = contexts.get(req) ?? readContext(req)
  contexts.set(req, known)
  return known
}

/** Makes the next `policyContext(req)` look again: after a sign-in or a sign-out. */
export function forgetPolicyContext(req: Request): void {
  contexts.delete(req)
}

interface ContextParts {
  db?: () => Kysely<Tables>
  signal?: AbortSignal
  registry?: Registry
}

/**
 * A context without a request: for tests, and for tasks that act for somebody. Its lists are empty without a registry:
 * `registryOfResources(resources)`.
 */
export function contextOf(session: Session | null, parts: ContextParts = {}): PolicyContext {
  const userId = session?.userId ?? null
  const roles = Object.freeze([...(session?.roles ?? [])])
  const context: PolicyContext = Object.freeze({
    session,
    userId,
    roles,
    hasRole: (name: Role) => roles.includes(name),
    owns: (ownerId: number | null | undefined) => userId !== null && ownerId === userId,
    get db() {
      return parts.db?.() as ReadonlyKysely<Tables> | undefined
    },
    signal: parts.signal ?? new AbortController().signal,
  })
  if (parts.registry !== undefined) registries.set(context, parts.registry)
  return context
}

/** The policies and scopes that decide for this context; undefined for one made by hand without them. */
export function rulesOf(context: PolicyContext): Registry | undefined {
  return registries.get(context)
}

async function readContext(req: Request): Promise<PolicyContext> {
  const { registry, findSession } = authorizationOf(req)
  const session = await findSession(req).catch((error: unknown) => {
    throw new Unavailable(error)
  })
  return contextOf(session, {
    db: database,
    signal: req.signal,
    registry,
  })
}
