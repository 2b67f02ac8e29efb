import type { Request } from 'express'
import type { Kysely } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import { inOwnUnit, currentDatabaseContext, database } from '../database/executor.ts'
import type { Unit } from '../database/unit.ts'
import { currentTenant, isTenant } from '../rows/tenant.ts'
import { Unavailable } from '../http/errors.ts'
import type { RecordId, Tables } from '../resource/tables.ts'
import type { PolicyContext, Registry, Role, Session, TenantOf } from './authorization-types.ts'
import { attachState, authorizationOf, requestState } from './policy-state.ts'

/**
 * Returns the caller of the request. The session is read once per request, with the cost of the application's
 * `findSession`. Throws `Unavailable` (503) if that fails: an error never turns a user into a guest.
 */
export function policyContext(req: Request): Promise<PolicyContext> {
  return (requestState(req).context ??= readContext(req))
}

async function readContext(req: Request): Promise<PolicyContext> {
  const { registry, findSession, tenantOf } = authorizationOf(req.app)
  // Apart, because noting when a session was last used is not a write of the caller.
  const session = await inOwnUnit(() => findSession(req)).catch(unavailable)
  const tenant = tenantOf === undefined ? null : await readTenant(req, session, tenantOf).catch(unavailable)
  rememberCaller({
    tenant,
    isSignedIn: session !== null,
    caller: { userId: session?.userId ?? null, tenant },
  })
  if (session !== null && req.res !== undefined) req.res.userId = session.userId
  const hasLeft = () => req.socket.destroyed
  return newContext(session, { tenant, registry, hasLeft, db: database, signal: () => req.signal })
}

function unavailable(error: unknown): never {
  throw new Unavailable(error)
}

async function readTenant(
  req: Request,
  session: Session | null,
  tenantOf: TenantOf,
): Promise<RecordId | null> {
  const tenant: unknown = await inOwnUnit(async () => tenantOf(req, session))
  if (tenant === null || isTenant(tenant)) return tenant
  throw new Error(`tenantOf returned ${typeof tenant}. Return the id of a tenant, or null.`)
}

/** Makes the next `policyContext(req)` read the session again. Call it after a sign-in or a sign-out. */
export function forgetPolicyContext(req: Request): void {
  delete requestState(req).context
  rememberCaller({ tenant: undefined, isSignedIn: false })
}

function rememberCaller(caller: Pick<Unit, 'tenant' | 'isSignedIn' | 'caller'>): void {
  const unit = currentDatabaseContext()?.unit
  if (unit !== undefined) Object.assign(unit, caller)
}

interface ContextParts {
  registry?: Registry
  /** Pass `database`, if rules read related rows. */
  db?: () => Kysely<Tables>
  signal?: AbortSignal
  /** The caller's tenant. Defaults to that of `withTenant`. */
  tenant?: RecordId | null
}

/**
 * Returns a policy context without a request, for tests and for tasks that act for a user. A null session is a guest.
 * Without `registry: registryOfResources(resources)`, its lists are empty. Without `db: database`, `ctx.db` is
 * undefined.
 *
 * ```ts
 * const ctx = contextOf({ id: 'task', userId: user.id, name: user.name, roles: user.roles })
 * ```
 */
export function contextOf(
  session: Session | null,
  { signal = new AbortController().signal, tenant = currentTenant(), ...parts }: ContextParts = {},
): PolicyContext {
  return newContext(session, { ...parts, tenant, signal: () => signal })
}

interface LazyParts extends Omit<ContextParts, 'signal'> {
  tenant: RecordId | null
  hasLeft?: () => boolean
  /** Called when a rule uses the signal: that of a request listens to its connection. */
  signal: () => AbortSignal
}

function newContext(session: Session | null, { tenant, db, signal, ...state }: LazyParts): PolicyContext {
  const userId = session?.userId ?? null
  const roles = Object.freeze([...(session?.roles ?? [])])
  const context: PolicyContext = Object.freeze({
    session,
    userId,
    roles,
    tenant,
    hasRole: (name: Role) => roles.includes(name),
    owns: (ownerId: number | null | undefined) => userId !== null && ownerId === userId,
    get db() {
      return db?.() as ReadonlyKysely<Tables> | undefined
    },
    get signal() {
      return signal()
    },
  })
  attachState(context, state)
  return context
}
