import type { Application } from 'express'
import type { DeclaredResource } from '../application/declared-resources.ts'
import { authorizationOf } from '../authorization/policy-context.ts'
import { layerOf } from '../http/layers.ts'
import type { ListedRoute, Routes } from '../http/route-types.ts'
import { listRoutes } from '../http/routes.ts'
import { settingsOf } from './application-settings.ts'
import { directUses } from './direct-uses.ts'
import { csrfOf, middlewareOf, securityHeadersOf } from './every-request.ts'
import { liveLayers } from './live-layers.ts'
import { resourceFacts } from './resource-facts.ts'
import { decisionsOf, routeFacts } from './route-facts.ts'
import { type Dimensions, type Manifest, type RouteEntry, sortedBy } from './schema.ts'
import { strayRoutes } from './stray-routes.ts'
import type { Source } from './parsed-source.ts'
import { systemUses } from './system-uses.ts'

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
  /** The application's source files, which are searched for `asSystem`. */
  sources: readonly Source[]
  /**
   * The files of `sources` that are searched for reads past the repositories and for imports of the framework's
   * internals. Omits command-line programs that belong to the framework.
   */
  ownSources: readonly Source[]
}

const NOT_VISIBLE = [
  'Decisions inside handlers (authorizeRecord, abilities): only the guards of a route are read.',
  'Queries in packages, and the connections that a value passes on: only the text of the sources is read.',
  'The 405 that every path answers to other methods.',
  'Settings that the environment of a server overrides: only those of this manifest are read.',
  'What a middleware does inside: it is listed by its name.',
  "What a guard of the application's own does inside: it is listed by its kind.",
  'What the functions and values are that a rule names in `calls`: its digest is that of its own text.',
  'Names behind other names: what a listed function calls, and the methods of the arguments of a rule.',
]

/**
 * Returns the manifest of an application: the routes, middleware, policies and headers that protect its records. Sends
 * no query and needs no port. The same code always returns the same manifest.
 */
export function securityManifest(parts: ManifestParts): Manifest {
  return {
    schema_version: 1,
    dimensions: {
      routes: routesOf(parts),
      csrf: csrfOf(parts.app),
      security_headers: securityHeadersOf(parts.app),
      authorization_policies: policiesOf(parts),
      settings: settingsOf(parts.app, parts.allowsUnauthorizedApis),
    },
    excluded: {
      as_system: {
        provenance: 'declared',
        uses: systemUsesOf(parts),
      },
      direct_use: {
        provenance: 'declared',
        uses: directUsesOf(parts),
      },
      development_only: developmentOnly(parts),
      not_visible: NOT_VISIBLE,
    },
  }
}

/** Without lines, so that a change elsewhere in a file doesn't change the manifest. */
function systemUsesOf({ sources }: ManifestParts) {
  const uses = systemUses(sources).map(({ file, repository, why }) => ({ file, repository, why }))
  return sortedBy(uses, ({ file, repository, why }) => `${file} ${repository} ${why}`)
}

function directUsesOf({ ownSources, resources }: ManifestParts) {
  const tables = resources.map(({ repository }) => repository.resource.table)
  const uses = directUses(ownSources, tables).map(({ file, kind, what }) => ({ file, kind, what }))
  return sortedBy(uses, ({ file, kind, what }) => `${file} ${kind} ${what}`)
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

function policiesOf({ app, tables, resources }: ManifestParts) {
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
