import type { Application, Request } from 'express'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { AnyPolicy, ForbiddenResponse } from './policy.ts'
import type { Session } from './policy-context.ts'
import type { AnyScope } from './scope.ts'

/** The one policy and the one scope of each resource of an application. */
export interface Registry {
  readonly policies: ReadonlyMap<Resource, AnyPolicy>
  readonly scopes: ReadonlyMap<Resource, AnyScope>
  /** Told of each list that shows nothing because its resource has no scope. */
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

/** What an application brings for its decisions. */
export interface Authorization {
  readonly registry: Registry
  readonly forbiddenResponse: ForbiddenResponse
  /** The session the request's cookie stands for; null for a guest, and for one that ended. */
  readonly findSession: (req: Request) => Promise<Session | null>
  readonly report: (event: DecisionEvent) => void
}

/** A denial, for the log: ids only, never what is in the row. */
export interface DecisionEvent {
  readonly actor: number | null
  readonly action: string
  /** Null where a session or a role was missing: that is about a page, not about a record. */
  readonly resource: string | null
  readonly id: RecordId | null
  readonly cause: string
  /** What the rule gave to `deny`. */
  readonly reason: string | null
  readonly request_id: string
  /** How long the decision took, in milliseconds. */
  readonly ms: number
  /** What the rule threw. */
  readonly error?: unknown
}

const authorizations = new WeakMap<Application, Authorization>()

/** Gives an application its policies, its scopes and its sessions, before its first request. */
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
