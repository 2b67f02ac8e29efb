import type { Application } from 'express'
import type { DeclaredResource } from '../application/declared-resources.ts'
import { authorizationOf } from '../policy/policy-context.ts'
import { layerOf } from '../http/routes/layers.ts'
import { accessTableNames } from '../resource/references.ts'
import type { ListedRoute, Routes } from '../http/routes/route-types.ts'
import { listRoutes } from '../http/routes/routes.ts'
import { settingsOf } from './application-settings.ts'
import { csrfOf, middlewareOf, securityHeadersOf } from './every-request.ts'
import { liveLayers } from './live-layers.ts'
import { moduleDigests } from './modules.ts'
import { ownDecisions } from './own-decisions.ts'
import { resourceFacts } from './resource-facts.ts'
import { decisionsOf, routeFacts } from './route-facts.ts'
import { type Dimensions, type Manifest, type RouteEntry, sortedBy } from './schema.ts'
import { strayRoutes } from './stray-routes.ts'
import type { Source } from './sources.ts'
import { type Use, usesIn } from './uses.ts'

/** The application as it runs in production, and its source files. */
export interface ManifestParts {
  /** The application as it runs in production. */
  app: Application
  /** The route tables that are mounted in it. */
  tables: readonly Routes[]
  /** The route tables that are mounted in development. */
  developmentTables: readonly Routes[]
  resources: readonly DeclaredResource[]
  /** Whether the application starts with an API without a policy. */
  allowsUnauthorizedApis: boolean
  /** Further settings that affect access, by their names: `session.lifetime_hours`. */
  settings?: Readonly<Record<string, string | number | boolean>>
  /** The application's source files, which are searched for `asSystem`. */
  sources: readonly Source[]
  /** The files of `sources` that may serve a request. Omits command-line programs that belong to the framework. */
  ownSources: readonly Source[]
  /** Files that decide about every request, such as its middleware. Only they have a digest, not their imports. */
  requestSources?: readonly Source[]
  /** Functions of the application that give access, such as `startSession`. Files that import them are listed. */
  functions?: readonly string[]
}

const NOT_VISIBLE = [
  'What handlers do: only the guards of a route and the calls of authorizeRecord are read.',
  'What views show, what migrations change, and what triggers and functions of the database do.',
  'Code of packages and of the framework: only the sources of the application are read.',
  'Names that are computed at run time, and values that are passed on: `posts[name](why)`.',
  'The 405 that every path answers to other methods.',
  'Settings that the environment of a server overrides: only those of this manifest are read.',
  "What a middleware, or a guard of the application's own, does inside, unless its file has a digest.",
  'What a change of a digest means: review the file.',
]

/**
 * Returns the manifest of an application: the routes, middleware, policies and headers that protect its records. Sends
 * no query and needs no port. The same code always returns the same manifest.
 */
export function securityManifest(parts: ManifestParts): Manifest {
  const uses = manifestUses(parts)
  const system = uses.filter(({ kind }) => kind === 'system').map(systemUse)
  const direct = uses.filter(({ kind }) => kind !== 'system')
  return {
    schema_version: 1,
    dimensions: {
      routes: routesOf(parts),
      csrf: csrfOf(parts.app),
      security_headers: securityHeadersOf(parts.app),
      authorization_policies: policiesOf(parts),
      settings: settingsOf(parts.app, parts.allowsUnauthorizedApis, parts.settings),
      modules: modulesOf(parts, direct),
    },
    excluded: {
      as_system: {
        provenance: 'declared',
        uses: sortedBy(system, ({ file, repository, why }) => `${file} ${repository} ${why}`),
      },
      direct_use: {
        provenance: 'declared',
        uses: sortedBy(direct.map(directUse), ({ file, kind, what }) => `${file} ${kind} ${what}`),
      },
      development_only: developmentOnly(parts),
      not_visible: NOT_VISIBLE,
    },
  }
}

/** Returns the places in the sources that pass policies and scopes by, with their lines. */
export function manifestUses({ sources, ownSources, resources, functions = [] }: ManifestParts): Use[] {
  const tables = [...resources.map(({ repository }) => repository.resource.table), ...accessTableNames()]
  const own = new Set(ownSources)
  // Commands that don't mention it are not parsed.
  const others = sources.filter((source) => !own.has(source) && source.text.includes('asSystem'))
  return [
    ...usesIn(ownSources, { tables, functions }),
    ...usesIn(others, { tables: [] }).filter(({ kind }) => kind === 'system'),
  ]
}

// Without lines, so that a change elsewhere in a file doesn't change the manifest.
const systemUse = ({ file, what: repository, why = null }: Use) => ({ file, repository, why })
const directUse = ({ file, kind, what }: Use) => ({ file, kind, what })

/** Files with a direct use decide about access, too. */
function modulesOf({ ownSources, requestSources = [] }: ManifestParts, uses: readonly Use[]) {
  const files = new Set(uses.map(({ file }) => file))
  const others = [...ownSources.filter(({ file }) => files.has(file)), ...requestSources]
  return { provenance: 'declared' as const, by_file: moduleDigests(ownSources, others) }
}

function routesOf({ app, tables }: ManifestParts): Dimensions['routes'] {
  const strays = strayRoutes(app, tables).map((route) => ungated(route, 'unclassified'))
  const entries = [...listRoutes(tables).map(routeFacts), ...frameworkRoutes(app), ...strays]
  return {
    provenance: 'provable',
    entries: sortedBy(entries, ({ path, method, name }) => `${path} ${method} ${name}`),
    middleware: middlewareOf(app),
  }
}

/** Returns the routes of the framework: the health checks and the assets. */
function frameworkRoutes(app: Application): RouteEntry[] {
  return liveLayers(app).flatMap((layer) => {
    const [handle] = layer.is === 'route' ? layer.handles : []
    if (layer.is !== 'route' || handle === undefined || layerOf(handle)?.is !== 'framework route') return []
    const { method, path } = layer
    return [ungated({ method, path, name: `framework.${(handle as { name: string }).name}` }, 'framework')]
  })
}

const ungated = (
  route: Pick<RouteEntry, 'method' | 'path' | 'name'>,
  classification: RouteEntry['classification'],
): RouteEntry => ({ ...route, classification, roles: [], policy: null, guards: [] })

function policiesOf({ app, tables, resources, ownSources }: ManifestParts) {
  const entries = listRoutes(tables).flatMap((route) =>
    decisionsOf(route.guards).map(({ action, resource }) => ({
      action,
      resource: resource.name,
      route: routeText(route),
    })),
  )
  const facts = sortedBy(resources.map(resourceFacts), ({ resource }) => resource)
  return {
    provenance: 'provable' as const,
    forbidden_response: authorizationOf(app).forbiddenResponse,
    entries: sortedBy(entries, ({ resource, action, route }) => `${resource} ${action} ${route}`),
    resources: facts,
    access_tables: accessTableNames(),
    in_code: sortedBy(ownDecisions(ownSources), ({ file, decision }) => `${file} ${decision}`),
    any_session: facts
      .flatMap(({ api, has_policy }) => (api !== null && !has_policy ? [api] : []))
      .toSorted(),
  }
}

function developmentOnly({ tables, developmentTables }: ManifestParts) {
  const inProduction = new Set(listRoutes(tables).map(routeText))
  const others = listRoutes(developmentTables)
    .map(routeText)
    .filter((route) => !inProduction.has(route))
  return others.toSorted().map((route) => ({ route, reason: 'mounted in development only' }))
}

const routeText = ({ method, path }: ListedRoute) => `${method} ${path}`
