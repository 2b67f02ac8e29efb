import type { Application } from 'express'
import type { DeclaredResource } from '../application/declared-resources.ts'
import { authorizationOf } from '../policy/policy-state.ts'
import { accessTableNames } from '../resource/references.ts'
import type { ListedRoute, Routes } from '../http/routes/route-types.ts'
import { listRoutes } from '../http/routes/routes.ts'
import { csrfOf, middlewareOf, securityHeadersOf, settingsOf } from './application-facts.ts'
import { liveLayers } from './live-layers.ts'
import { resourceFacts } from './resource-facts.ts'
import { decisionsOf, routeFacts } from './route-facts.ts'
import { type Dimensions, type Manifest, type RouteEntry, sortedBy } from './schema.ts'
import { type StrayRoute, strayRoutes } from './stray-routes.ts'
import { moduleDigests, type ParsedSource, parseSource, type Source, withImports } from './code/sources.ts'
import { type Use, usesIn, type Watched } from './code/uses.ts'

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

/**
 * Returns the manifest of an application: the routes, middleware, policies and headers that protect its records. Sends
 * no query and needs no port. The same code always returns the same manifest.
 */
export const securityManifest = (parts: ManifestParts): Manifest => securityAudit(parts).manifest

/** Returns the manifest of an application, and the places that pass policies and scopes by with their lines. */
export function securityAudit(parts: ManifestParts) {
  const { app, otherSources = [] } = parts
  const sources = parsedSources(parts)
  const found = sources.flatMap((source) => usesIn(source, watchedBy(parts)))
  // Files that don't mention it are not parsed.
  const others = otherSources.filter(({ text }) => text.includes('asSystem')).map(parseSource)
  const system = [...found, ...others.flatMap((source) => usesIn(source, { tables: [] }))].filter(isSystem)
  const direct = found.filter((use) => !isSystem(use) && !isDecision(use))
  const manifest: Manifest = {
    schema_version: 1,
    dimensions: {
      routes: routesOf(parts),
      csrf: csrfOf(app),
      security_headers: securityHeadersOf(app),
      authorization_policies: policiesOf(parts, found.filter(isDecision)),
      settings: settingsOf(app, parts.allowsUnauthorizedApis, parts.settings),
      modules: { provenance: 'declared', by_file: digestsOf(parts, sources, direct) },
    },
    excluded: {
      as_system: {
        provenance: 'declared',
        uses: sortedBy(system.map(({ file, what, why = null }) => ({ file, repository: what, why }))),
      },
      direct_use: {
        provenance: 'declared',
        uses: sortedBy(direct.map(({ file, kind, what }) => ({ file, kind, what }))),
      },
      development_only: developmentOnly(parts),
      not_visible: NOT_VISIBLE,
    },
  }
  return { manifest, uses: [...direct, ...system] }
}

const isSystem = ({ kind }: Use): boolean => kind === 'system'
const isDecision = ({ kind }: Use): boolean => kind === 'decision'

const parsedSources = ({ sources, importedSource }: ManifestParts): ParsedSource[] =>
  withImports(sources.map(parseSource), (file) => {
    const source = importedSource?.(file)
    return source && parseSource(source)
  })

const watchedBy = ({ resources, functions = [] }: ManifestParts): Watched => ({
  tables: [...resources.map(({ repository }) => repository.resource.table), ...accessTableNames()],
  functions,
})

/** Files with a direct use decide about access, too. */
function digestsOf(
  { requestSources = [] }: ManifestParts,
  sources: readonly ParsedSource[],
  uses: readonly Use[],
): Record<string, string> {
  const files = new Set(uses.map(({ file }) => file))
  const direct = sources.filter(({ file }) => files.has(file))
  const known = (file: string) => sources.find((source) => source.file === file)
  return moduleDigests(sources, [
    ...direct,
    ...requestSources.map((one) => known(one.file) ?? parseSource(one)),
  ])
}

function routesOf({ app, tables }: ManifestParts): Dimensions['routes'] {
  const framework = liveLayers(app)
    .filter(({ known }) => known?.is === 'framework route')
    .map((route) => ungated({ ...route, name: `framework.${route.name}` }, 'framework'))
  const strays = strayRoutes(app, tables).map((route) => ungated(route, 'unclassified'))
  const entries = [...listRoutes(tables).map(routeFacts), ...framework, ...strays]
  return {
    provenance: 'provable',
    entries: sortedBy(entries, ({ path, method, name }) => `${path} ${method} ${name}`),
    middleware: middlewareOf(app),
  }
}

const ungated = (
  { method, path, name }: StrayRoute,
  classification: RouteEntry['classification'],
): RouteEntry => ({ method, path, name, classification, roles: [], policy: null, guards: [] })

function policiesOf(
  { app, tables, resources }: ManifestParts,
  decisions: readonly Use[],
): Dimensions['authorization_policies'] {
  const entries = listRoutes(tables).flatMap((route) =>
    decisionsOf(route.guards).map(({ action, resource: { name } }) => ({
      resource: name,
      action,
      route: routeText(route),
    })),
  )
  const facts = sortedBy(resources.map(resourceFacts), ({ resource }) => resource)
  return {
    provenance: 'provable',
    forbidden_response: authorizationOf(app).forbiddenResponse,
    entries: sortedBy(entries),
    resources: facts,
    access_tables: accessTableNames(),
    in_code: sortedBy(decisions.map(({ file, what }) => ({ file, decision: what }))),
    any_session: facts.flatMap(({ api, has_policy }) => (api === null || has_policy ? [] : api)).toSorted(),
  }
}

function developmentOnly({ tables, developmentTables }: ManifestParts) {
  const inProduction = new Set(listRoutes(tables).map(routeText))
  return listRoutes(developmentTables)
    .map(routeText)
    .filter((route) => !inProduction.has(route))
    .toSorted()
    .map((route) => ({ route, reason: 'mounted in development only' }))
}

const routeText = ({ method, path }: ListedRoute) => `${method} ${path}`
