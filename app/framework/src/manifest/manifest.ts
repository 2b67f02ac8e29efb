import type { Application } from 'express'
import type { DeclaredResource } from '../application/declared-resources.ts'
import { authorizationOf } from '../authorization/policy-context.ts'
import { layerOf } from '../http/layers.ts'
import { accessTableNames } from '../resource/references.ts'
import type { ListedRoute, Routes } from '../http/route-types.ts'
import { listRoutes } from '../http/routes.ts'
import { settingsOf } from './application-settings.ts'
import { csrfOf, middlewareOf, securityHeadersOf } from './every-request.ts'
import { liveLayers } from './live-layers.ts'
import { moduleDigests } from './modules.ts'
import { resourceFacts } from './resource-facts.ts'
import { decisionsOf, routeFacts } from './route-facts.ts'
import { type Dimensions, type Manifest, type RouteEntry, sortedBy } from './schema.ts'
import { strayRoutes } from './stray-routes.ts'
import { type ParsedSource, parseSource, type Source, withImports } from './sources.ts'
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
  /** The source files that may serve a request. */
  sources: readonly Source[]
  /** Other source files, such as command-line programs, which are only searched for `asSystem`. */
  otherSources?: readonly Source[]
  /** Files that decide about every request, such as its middleware. Only they have a digest, not their imports. */
  requestSources?: readonly Source[]
  /** Returns a file of the application that is not in `sources`, because one of them imports it. */
  importedSource?: (file: string) => Source | undefined
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

/** The manifest of an application, and the places in its sources that pass policies and scopes by, with their lines. */
export interface Audit {
  readonly manifest: Manifest
  readonly uses: readonly Use[]
}

/**
 * Returns the manifest of an application: the routes, middleware, policies and headers that protect its records. Sends
 * no query and needs no port. The same code always returns the same manifest.
 */
export const securityManifest = (parts: ManifestParts): Manifest => securityAudit(parts).manifest

/** Returns the manifest of an application, and the uses in it with their lines. */
export function securityAudit(parts: ManifestParts): Audit {
  const sources = withImports(parts.sources.map(parseSource), (file) => {
    const imported = parts.importedSource?.(file)
    return imported && parseSource(imported)
  })
  const tables = [
    ...parts.resources.map(({ repository }) => repository.resource.table),
    ...accessTableNames(),
  ]
  const { functions = [] } = parts
  const found = sources.flatMap((source) => usesIn(source, { tables, functions }))
  const [decisions, direct] = [found.filter(isDecision), found.filter((use) => !isDecision(use))]
  const uses = [...direct, ...otherSystemUses(parts)]
  const { app } = parts
  const manifest: Manifest = {
    schema_version: 1,
    dimensions: {
      routes: routesOf(parts),
      csrf: csrfOf(app),
      security_headers: securityHeadersOf(app),
      authorization_policies: policiesOf(parts, decisions),
      settings: settingsOf(app, parts.allowsUnauthorizedApis, parts.settings),
      modules: modulesOf(parts, sources, direct),
    },
    excluded: {
      ...excludedUses(uses),
      development_only: developmentOnly(parts),
      not_visible: NOT_VISIBLE,
    },
  }
  return { manifest, uses }
}

const isDecision = ({ kind }: Use): boolean => kind === 'decision'
const isSystem = ({ kind }: Use): boolean => kind === 'system'

/** Files that don't mention it are not parsed. */
const otherSystemUses = ({ otherSources = [] }: ManifestParts): Use[] =>
  otherSources
    .filter(({ text }) => text.includes('asSystem'))
    .flatMap((source) => usesIn(parseSource(source), { tables: [] }))
    .filter(isSystem)

/** Without lines, so that a change elsewhere in a file doesn't change the manifest. */
function excludedUses(uses: readonly Use[]): Pick<Manifest['excluded'], 'as_system' | 'direct_use'> {
  const system = uses.filter(isSystem).map(({ file, what, why = null }) => ({ file, repository: what, why }))
  const direct = uses.filter((use) => !isSystem(use)).map(({ file, kind, what }) => ({ file, kind, what }))
  return {
    as_system: {
      provenance: 'declared',
      uses: sortedBy(system, ({ file, repository, why }) => `${file} ${repository} ${why}`),
    },
    direct_use: {
      provenance: 'declared',
      uses: sortedBy(direct, ({ file, kind, what }) => `${file} ${kind} ${what}`),
    },
  }
}

/** Files with a direct use decide about access, too. */
function modulesOf(
  { requestSources = [] }: ManifestParts,
  sources: readonly ParsedSource[],
  uses: readonly Use[],
): Dimensions['modules'] {
  const files = new Set(uses.filter((use) => !isSystem(use)).map(({ file }) => file))
  const others = [
    ...sources.filter(({ file }) => files.has(file)),
    ...requestSources.map((one) => sources.find(({ file }) => file === one.file) ?? parseSource(one)),
  ]
  return { provenance: 'declared', by_file: moduleDigests(sources, others) }
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
const frameworkRoutes = (app: Application): RouteEntry[] =>
  liveLayers(app)
    .filter(
      ({ is, handles: [handle] }) => is === 'route' && handle && layerOf(handle)?.is === 'framework route',
    )
    .map(({ method, path, name }) => ungated({ method, path, name: `framework.${name}` }, 'framework'))

const ungated = (
  route: Pick<RouteEntry, 'method' | 'path' | 'name'>,
  classification: RouteEntry['classification'],
): RouteEntry => ({ ...route, classification, roles: [], policy: null, guards: [] })

function policiesOf({ app, tables, resources }: ManifestParts, decisions: readonly Use[]) {
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
    in_code: sortedBy(
      decisions.map(({ file, what }) => ({ file, decision: what })),
      ({ file, decision }) => `${file} ${decision}`,
    ),
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
