import type { AnyPolicy } from '../authorization/policy.ts'
import { makeRegistry, type Registry } from '../authorization/registry.ts'
import type { AnyScope } from '../authorization/scope.ts'
import type { Routes } from '../http/routes.ts'
import type { NavLink } from '../http/settings.ts'
import type { Resource } from '../resource/resource.ts'
import { anySession, repositoryApi } from './repository-api.ts'
import type { AnyRepository, Repository } from './repository.ts'

/** One line of an application's list of resources. */
export interface DeclaredResource {
  readonly repository: AnyRepository
  readonly routes?: Routes
  /** What its link in the navigation says; without it, or without a route `GET /`, there is none. */
  readonly nav?: string
  /** Writes examples into its empty table; where they need an owner, these users' in turn. */
  readonly seed?: (userIds: readonly number[]) => Promise<void>
}

export interface Replacements {
  policies?: Iterable<readonly [Resource, AnyPolicy]>
  scopes?: Iterable<readonly [Resource, AnyScope]>
}

/** The policies and scopes of these resources. A test may replace some; an API without a policy needs any session. */
export function registryOfResources(
  declared: readonly DeclaredResource[],
  replaced: Replacements = {},
): Registry {
  const repositories = declared.map(({ repository }) => repository)
  const policies = repositories.flatMap(
    ({ resource, options }) => options.policy ?? (options.api ? anySession(resource) : []),
  )
  const registry = makeRegistry({
    policies,
    scopes: repositories.flatMap(({ options }) => options.scope ?? []),
  })
  return {
    policies: new Map([...registry.policies, ...(replaced.policies ?? [])]),
    scopes: new Map([...registry.scopes, ...(replaced.scopes ?? [])]),
  }
}

/** A link to the list of each resource that has a word for it, for whoever may see that page. */
export const navOfResources = (declared: readonly DeclaredResource[]): NavLink[] =>
  declared.flatMap(({ nav, routes }) => {
    const access = routes?.table['GET /']?.[0]
    return nav && routes && access ? [{ href: routes.base, label: nav, access }] : []
  })

/** Every route of these resources: their pages, then their JSON APIs. */
export function routesOfResources(declared: readonly DeclaredResource[]): Routes[] {
  const pages = declared.flatMap(({ routes }) => routes ?? [])
  const apis = declared.flatMap(({ repository }) => apiOf(repository))
  return [...pages, ...apis]
}

function apiOf(repository: AnyRepository): Routes[] {
  const { api } = repository.options
  if (api === undefined) return []
  // Nobody wrote these routes down: where they come from is the repository.
  return [{ ...repositoryApi(repository as Repository, api), declaredAt: repository.declaredAt }]
}

/** A sentence for each API that any session may write, with both ways out. */
export function unauthorizedApis(declared: readonly DeclaredResource[]): string[] {
  return declared
    .map(({ repository }) => repository)
    .filter(({ options }) => options.api !== undefined && options.policy === undefined)
    .map(
      ({ resource, options, declaredAt }) =>
        `${declaredAt}: the repository of ${resource.name} serves ${options.api} without a policy, so that anybody signed in may ` +
        'write it. Give it one (policy:), or set [security] allow_unauthorized_repository_api = true.',
    )
}
