import type { AnyPolicy, AnyScope, Registry } from '../policy/authorization-types.ts'
import { pathTo } from '../http/routes/path-to.ts'
import type { Route, Routes } from '../http/routes/route-types.ts'
import type { NamedRoutes, NavLink } from '../http/settings.ts'
import { weakMemoize } from '../resource/memoize.ts'
import type { Resource } from '../resource/resource.ts'
import { anySession, repositoryApi } from '../repository/repository-api.ts'
import type { AnyRepository, Repository } from '../repository/repository.ts'
import type { AnyTask } from '../tasks/task.ts'

/** Pages, and their links in the navigation. */
export interface DeclaredPages {
  /** Route tables by the names that views use: `{ postRoutes, feedRoutes }`. */
  readonly routes?: NamedRoutes
  /**
   * The label of the navigation link, which leads to the first table with `GET /`. For several links, the labels by the
   * names of their tables: `{ postRoutes: 'Posts', feedRoutes: 'Feed' }`.
   */
  readonly nav?: string | Readonly<Record<string, string>>
  /** The heading above the navigation links. Links without one come first, then groups in the order of their pages. */
  readonly navGroup?: string
}

/** An entry of the application's list of resources. */
export interface DeclaredResource extends DeclaredPages {
  readonly repository: AnyRepository
  /** Writes example records into its empty table, owned by these users. Parents are seeded first. */
  readonly seed?: (userIds: readonly number[]) => Promise<void>
  /** Returns the ids of the users who own the examples, for the resource whose records are the users. */
  readonly exampleOwners?: () => Promise<readonly number[]>
  /** Tasks of this resource, for `cli task` and the worker. */
  readonly tasks?: readonly AnyTask[]
}

/** Policies and scopes that replace the declared ones, for tests. */
export interface Replacements {
  policies?: Iterable<readonly [Resource, AnyPolicy]>
  scopes?: Iterable<readonly [Resource, AnyScope]>
}

/**
 * Returns the policies and scopes of these resources. A repository with an API but without a
 * policy gets one that allows everything to signed-in users: see `unauthorizedApis`. `replaced` overrides some of
 * them in a test. Throws if a resource has two policies or two scopes, and if one refers to a table without a resource.
 */
export function registryOfResources(
  declared: readonly DeclaredResource[],
  replaced: Replacements = {},
): Registry {
  const repositories = declared.map(({ repository }) => repository)
  // Looks up the references that are named by their tables, so that an unknown one stops the start.
  for (const { resource } of repositories) Object.values(resource.references)
  const policies = repositories.flatMap(
    ({ resource, options }) => options.policy ?? (options.api ? anySession(resource) : []),
  )
  const scopes = repositories.flatMap(({ options }) => options.scope ?? [])
  return {
    policies: new Map([...byResource('policy', policies), ...(replaced.policies ?? [])]),
    scopes: new Map([...byResource('scope', scopes), ...(replaced.scopes ?? [])]),
    primaryReads: new Set(
      repositories.filter(({ options }) => options.primaryReads).map(({ resource }) => resource),
    ),
  }
}

function byResource<Rule extends { resource: Resource }>(
  kind: 'policy' | 'scope',
  rules: Iterable<Rule>,
): Map<Resource, Rule> {
  const registered = new Map<Resource, Rule>()
  for (const rule of rules) {
    const { resource } = rule
    if ((registered.get(resource) ?? rule) !== rule) {
      throw new Error(`${resource.name} has more than one ${kind}. Remove all but one.`)
    }
    registered.set(resource, rule)
  }
  return registered
}

/** Returns a function that warns once for each resource whose lists are empty because it has no scope. */
export const missingScopeWarning = (warn: (sentence: string) => void): ((resource: Resource) => unknown) =>
  weakMemoize(({ name }: Resource) => {
    warn(`${name} has no scope, so its lists are empty. Give its repository one: scope(${name}, { where }).`)
    return true
  })

/**
 * Returns the navigation links of these pages and resources: those without a group, then those of each group. Throws if `nav` names a table that `routes` lacks, or one without `GET /`.
 */
export function navOfResources(declared: readonly (DeclaredPages | DeclaredResource)[]): NavLink[] {
  const groups = Map.groupBy(declared.flatMap(linksOf), ({ group }) => group)
  return [...(groups.get(undefined) ?? []), ...[...groups].flatMap(([name, links]) => (name ? links : []))]
}

function linksOf({ nav, navGroup, routes = {} }: DeclaredPages): NavLink[] {
  if (nav === undefined) return []
  if (typeof nav === 'string') {
    const first = Object.values(routes).find(hasList)
    return first === undefined ? [] : [linkTo(first, nav, navGroup)]
  }
  return Object.entries(nav).map(([name, label]) => {
    const table = routes[name]
    if (table === undefined || !hasList(table))
      throw new Error(`nav: ${name} is not a route table of the resource with GET /.`)
    return linkTo(table, label, navGroup)
  })
}

const hasList = ({ table }: Routes): boolean => table['GET /'] !== undefined

function linkTo(table: Routes, label: string, group: string | undefined): NavLink {
  const [access] = table.table['GET /'] as Route
  return { href: pathTo(table, 'GET /'), label, access, ...(group !== undefined && { group }) }
}

/** Returns the tasks of these resources, in their order. */
export const tasksOfResources = (declared: readonly DeclaredResource[]): AnyTask[] =>
  declared.flatMap(({ tasks = [] }) => tasks)

/** Returns the route tables of these pages and resources: first the pages, then the JSON APIs of the resources. */
export function routesOfResources(declared: readonly (DeclaredPages | DeclaredResource)[]): Routes[] {
  const pages = declared.flatMap(({ routes = {} }) => Object.values(routes))
  return [...pages, ...declared.flatMap((one) => ('repository' in one ? apiOf(one.repository) : []))]
}

/** Returns the route tables by the names that views use. Throws if two tables have one name. */
export function pagesOfResources(declared: readonly (DeclaredPages | DeclaredResource)[]): NamedRoutes {
  const named: Record<string, Routes> = {}
  for (const [name, table] of declared.flatMap(({ routes = {} }) => Object.entries(routes))) {
    if (named[name] !== undefined && named[name] !== table)
      throw new Error(
        `Two route tables have the name ${name}: ${named[name].base} and ${table.base}. Rename one.`,
      )
    named[name] = table
  }
  return named
}

function apiOf(repository: AnyRepository): Routes[] {
  const { api } = repository.options
  if (api === undefined) return []
  // The application declared the repository, not these routes: messages name the repository's line.
  const { declaredAt } = repository
  return [{ ...repositoryApi(repository as Repository, api), declaredAt, isApi: true }]
}

/**
 * Returns a sentence for each JSON API without a policy, which every signed-in user may write. An application should
 * refuse to start in production if there is one.
 */
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
