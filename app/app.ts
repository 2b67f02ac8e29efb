import express, { type Express, type Request, type RequestHandler } from 'express'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { type DeclaredResource, pathTo, policyContext, publicRoute, type Routes, type Tables } from 'pergola'
import {
  type Assets,
  compression,
  databaseFailure,
  errorPage,
  type ForbiddenResponse,
  formBody,
  health,
  missingScopeWarning,
  mount,
  navOfResources,
  notFound,
  pagesOfResources,
  pipeline,
  refuseCrossOrigin,
  refuseUntil,
  registryOfResources,
  type Replacements,
  requestChecks,
  requestLog,
  requireHttps,
  routesOfResources,
  securityHeaders,
  securityTxt,
  useAuthorization,
  useHttp,
  useLimits,
} from 'pergola/app'
import { hasReplicas } from 'pergola/database'
import { inDatabase, ownWrites, shardFor, type Shards } from 'pergola/scale'
import { jobRoutes } from 'pergola/jobs'
import { mailRoutes } from 'pergola/mail'
import { useConfig } from './config-of.ts'
import type { Config } from './config.ts'
import { devRoutes } from './dev/dev.controller.ts'
import { developmentErrorPage } from './dev/error-page.ts'
import { limits, pageSettings, staticFiles, views } from './http-settings.ts'
import { mailSettings } from './mails/mail-settings.ts'
import { hasSubdomains, ownHosts } from './own-hosts.ts'
import { navPages, ownPages, passwordPaths } from './pages.ts'
import { reportDenial } from './security-events/report-denial.ts'
import { findSession } from './sessions/session.ts'
import { shardOf } from './shard-of.ts'
import { themeOf } from './theme/theme.controller.ts'

export interface AppParts extends Replacements {
  config: Config
  /** The database, or those of `[[database.shards]]`. */
  db: Kysely<Tables> | Shards
  log: Logger
  resources: readonly DeclaredResource[]
  /** Whether this process can serve requests. `/readyz` calls it. */
  ready: () => Promise<boolean>
  /** Whether the database was checked. Until then, pages are a 503. Defaults to true. */
  isStarted?: () => boolean
  forbiddenResponse?: ForbiddenResponse
}

/** Creates the application. */
export function createApp(parts: AppParts): Express {
  const { config, db, log, resources } = parts
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')
  app.set('trust proxy', config.server.trust_proxy)
  const files = staticFiles(config)
  const pages = ownPages(config, resources)
  useHttp(app, {
    ...pageSettings(config),
    ...(config.profile === 'development' && { developmentErrorPage }),
    name: config.app.name,
    views,
    signInPath: pathTo(pages.signInRoutes, 'GET /login'),
    verificationPath: pathTo(pages.verificationRoutes, 'GET /'),
    confirmationPath: pathTo(pages.confirmationRoutes, 'GET /'),
    passwordPaths: passwordPaths(pages),
    apiPrefix: '/api',
    viewer,
    pageData: (req) => ({ theme: themeOf(req) }),
    assetUrl: files.url,
    nav: navOfResources([...resources, ...navPages(pages)]),
    routes: pagesOfResources(resources, pages),
    shardFor: shardFor(db, shardOf),
  })
  useAuthorization(app, {
    registry: {
      ...registryOfResources(resources, parts),
      ruleDeadline: config.security.rule_deadline_ms,
      ...(config.profile === 'development' && {
        onMissingScope: missingScopeWarning((message) => log.warn(message)),
      }),
    },
    forbiddenResponse: parts.forbiddenResponse ?? config.security.forbidden_response,
    findSession,
    report: reportDenial(log),
  })
  useLimits(app, limits(config))
  useConfig(app, config)

  app.use(pipeline(middleware(parts, files)))
  mount(app, routeTables(config, resources, pages))
  app.use(notFound)
  app.use(errorPage(databaseFailure))
  return app
}

/** Returns the middleware that every request passes through, in this order. */
function middleware(
  { config, db, log, ready, isStarted = () => true }: AppParts,
  files: Assets,
): RequestHandler[] {
  const { isOwnHost, ownOrigin } = ownHosts(config)
  return [
    requestLog(log, { callers: config.server.log_callers }),
    securityHeaders(pageSettings(config)),
    health(ready),
    requireHttps({
      baseUrl: config.server.base_url,
      behindProxy: config.server.trust_proxy > 0,
      ...(hasSubdomains(config) && { isOwnHost }),
    }),
    securityTxt(config.security_txt),
    files.serve,
    ...(config.server.compress ? [compression] : []),
    refuseUntil(isStarted),
    requestChecks(isOwnHost),
    inDatabase(db, shardOf),
    ...(hasReplicas(config.database) ? [ownWrites(config.database.max_lag_ms)] : []),
    refuseCrossOrigin(ownOrigin),
    formBody,
  ]
}

/** Returns every route as data, to be mounted, or listed without starting a server. */
export function routeTables(
  config: Config,
  resources: readonly DeclaredResource[],
  pages = ownPages(config, resources),
): Routes[] {
  const tables = [...Object.values(pages), ...routesOfResources(resources)]
  // Browser tests open the links in mails, and check the components.
  const isBrowserTest = config.profile === 'test' && config.mail.url?.startsWith('file:')
  if (config.profile !== 'development' && !isBrowserTest) return tables
  return [
    ...tables,
    devRoutes(tables, resources),
    jobRoutes('/_dev/jobs', [publicRoute()]),
    mailRoutes('/_dev/mail', [publicRoute()], mailSettings(config)),
  ]
}

const viewer = async (req: Request) => {
  const { session } = await policyContext(req)
  return session && { id: session.userId, name: session.name, roles: session.roles }
}
