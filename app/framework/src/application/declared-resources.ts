import type { AnyPolicy } from '../authorization/policy.ts'
import { makeRegistry, type Registry } from '../authorization/registry.ts'
import type { AnyScope } from '../authorization/scope.ts'
import type { Route, Routes } from '../http/routes.ts'
import type { NavLink } from '../http/settings.ts'
import type { Resource } from '../resource/resource.ts'
import { anySession, repositoryApi } from '../repository/repository-api.ts'
import type { AnyRepository, Repository } from '../repository/repository.ts'
import type { AnyTask } from '../tasks/task.ts'

/** One entry of an application's list of resources. */
export interface DeclaredResource {
  readonly repository: AnyRepository
  /** Its pages: one route table, or several. */
  readonly routes?: Routes | readonly Routes[]
  /**
   * The label of its link in the navigation, which leads to the first table with `GET /`. For several links, the label
   * of each by the base path of its table: `{ '/posts': 'Posts', '/feed': 'Feed' }`.
   */
  readonly nav?: string | Readonly<Record<`/${string}`, string>>
  /** Writes examples into its empty table, after the resources it refers to; those with an owner belong to these users. */
  readonly seed?: (userIds: readonly number[]) => Promise<void>
  /** What `cli task` and the worker run besides the application's own tasks. */
  readonly tasks?: readonly AnyTask[]
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

/** The navigation links of these resources, in their order. Throws for a path whose table has no `GET /`. */
export const navOfResources = (declared: readonly DeclaredResource[]): NavLink[] =>
  declared.flatMap(({ nav, routes = [] }) => {
    const tables = [routes].flat().filter(({ table }) => table['GET /'] !== undefined)
    if (nav === undefined) return []
    if (typeof nav === 'string') return tables.slice(0, 1).map((table) => linkTo(table, nav))
    return Object.entries(nav).map(([base, label]) => {
      const table = tables.find((table) => table.base === base)
      if (table === undefined) throw new Error(`nav: ${base} is the base of no route table with GET /.`)
      return linkTo(table, label)
    })
  })

function linkTo({ base, table }: Routes, label: string): NavLink {
  const [access] = table['GET /'] as Route
  return { href: base, label, access }
}

/** Every task of these resources. */
export const tasksOfResources = (declared: readonly DeclaredResource[]): AnyTask[] =>
  declared.flatMap(({ tasks = [] }) => tasks)

/** Every route of these resources: their pages, then their JSON APIs. */
export function routesOfResources(declared: readonly DeclaredResource[]): Routes[] {
  const pages = declared.flatMap(({ routes = [] }) => routes)
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
