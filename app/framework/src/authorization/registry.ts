import type { Application, Request } from 'express'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { AnyPolicy, ForbiddenResponse } from './policy.ts'
import type { Session } from './policy-context.ts'
import type { AnyScope } from './scope.ts'

/** The policies and scopes of an application, by resource. `registryOfResources` returns one. */
export interface Registry {
  readonly policies: ReadonlyMap<Resource, AnyPolicy>
  readonly scopes: ReadonlyMap<Resource, AnyScope>
  /** Called for each list that is empty because its resource has no scope: see `missingScopeWarning`. */
  readonly onMissingScope?: (resource: Resource) => void
}

interface Declared {
  policies: Iterable<AnyPolicy>
  scopes: Iterable<AnyScope>
}

/** Collects what an application declares. Throws when a resource has two policies or two scopes. */
export function makeRegistry({ policies, scopes }: Declared): Registry {
  return { policies: byResource('policy', policies), scopes: byResource('scope', scopes) }
}

function byResource<Rule extends { resource: Resource }>(
  what: string,
  rules: Iterable<Rule>,
): Map<Resource, Rule> {
  const found = new Map<Resource, Rule>()
  for (const rule of rules) {
    const other = found.get(rule.resource)
    if (other !== undefined && other !== rule) {
      throw new Error(
        `${rule.resource.name} has two: a ${what} must be the only one of its resource. Remove one.`,
      )
    }
    found.set(rule.resource, rule)
  }
  return found
}

/** The options of `useAuthorization`. */
export interface Authorization {
  readonly registry: Registry
  readonly forbiddenResponse: ForbiddenResponse
  /** Reads the session of the request's cookie. Null for a guest and for a session that has ended. */
  readonly findSession: (req: Request) => Promise<Session | null>
  /** Receives each denial: see `denialLog`. */
  readonly report: (event: DecisionEvent) => void
}

/** A denial, as `useAuthorization({ report })` receives it. It holds ids, never the values of a row. */
export interface DecisionEvent {
  /** The caller's user id; null for a guest. */
  readonly actor: number | null
  readonly action: string
  /** The resource's name; null if a session or a role was missing, which concerns a page and not a record. */
  readonly resource: string | null
  readonly id: RecordId | null
  /** Why access was denied, as a code: `denied`, `guest`, `missing_role`, … */
  readonly cause: string
  /** The reason that the rule passed to `deny`. */
  readonly reason: string | null
  readonly request_id: string
  /** How long the decision took, in milliseconds. */
  readonly ms: number
  /** The error that the rule threw. */
  readonly error?: unknown
}

const authorizations = new WeakMap<Application, Authorization>()

/**
 * Sets the policies, the scopes and the session lookup of an application. Call it once, before `mount`. Requests to
 * an application without it throw.
 *
 * `findSession` reads the session of the request's cookie, with null for a guest. `report` receives each denial: see
 * `denialLog`.
 */
export function useAuthorization(app: Application, authorization: Authorization): void {
  authorizations.set(app, authorization)
}

export const authorizationOf = (req: Request): Authorization => authorizationOfApp(req.app as Application)

export function authorizationOfApp(app: Application): Authorization {
  const authorization = authorizations.get(app)
  if (authorization === undefined)
    throw new Error('This application has no policies. Call useAuthorization(app, …) first.')
  return authorization
}
