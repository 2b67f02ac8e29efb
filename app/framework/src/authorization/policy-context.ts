import type { Request } from 'express'
import type { Kysely } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import { database } from '../database/executor.ts'
import { Unavailable } from '../http/errors.ts'
import type { Tables } from '../resource/tables.ts'
import { authorizationOf, type Registry } from './registry.ts'

/** A signed-in user's session, read from the database for every request. */
export interface Session {
  /** Identifies the session, not the user. */
  readonly id: string
  readonly userId: number
  /** The user's name, as pages show it. */
  readonly name: string
  readonly roles: readonly string[]
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
  hasRole(name: Role): boolean
  /** Returns whether `ownerId` is the caller's id. False for guests, also if the row has no owner. */
  owns(ownerId: number | null | undefined): boolean
  /**
   * Reads related rows, in the open transaction if there is one. Undefined without a database, as in a unit test. See
   * `lookup` for rules about many rows.
   */
  readonly db: ReadonlyKysely<Tables> | undefined
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

const contexts = new WeakMap<Request, Promise<PolicyContext>>()
const registries = new WeakMap<PolicyContext, Registry>()

/**
 * Returns the caller of the request. The session is read once per request, with the cost of the application's
 * `findSession`. Throws `Unavailable` (503) if that fails: an error never turns a user into a guest.
 */
export function policyContext(req: Request): Promise<PolicyContext> {
  const known = contexts.get(req) ?? readContext(req)
  contexts.set(req, known)
  return known
}

/** Makes the next `policyContext(req)` read the session again. Call it after a sign-in or a sign-out. */
export function forgetPolicyContext(req: Request): void {
  contexts.delete(req)
}

interface ContextParts {
  /** Pass `database`, if rules read related rows. */
  db?: () => Kysely<Tables>
  signal?: AbortSignal
  registry?: Registry
}

/**
 * Returns a policy context without a request: for tests, and for tasks that act for a user. Null is a guest. Without
 * `registry: registryOfResources(resources)`, its lists are empty. Without `db: database`, `ctx.db` is undefined.
 *
 * ```ts
 * const ctx = contextOf({ id: 'task', userId: user.id, name: user.name, roles: user.roles })
 * ```
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
