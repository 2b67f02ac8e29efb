import type { Express } from 'express'
import {
  type ApplicationParts,
  compression,
  formBody,
  health,
  refuseCrossOrigin,
  requestChecks,
  requestLog,
  requireHttps,
  securityHeaders,
  securityTxt,
  webApplication,
} from 'pergola/app'
import { inDatabase } from 'pergola/scale'
import { useParts } from './config-of.ts'
import type { Config } from './config.ts'
import { developmentMiddleware } from './dev/development-routes.ts'
import { httpSettings, staticFiles } from './http-settings.ts'
import { hasSubdomains, ownHosts } from './own-hosts.ts'
import { ownPages, routeTables } from './pages.ts'
import { reportDenial } from './security-events/report-denial.ts'
import { findSession } from './sessions/session.ts'
import { shardOf } from './shard-of.ts'

export interface AppParts extends ApplicationParts {
  readonly config: Config
}

/** Creates the application: its middleware, in the order in which a request passes through it, and then its routes. */
export function createApp(parts: AppParts): Express {
  const { config, db, log, resources, ready, isStarted } = parts
  const { server } = config
  const settings = httpSettings(config)
  const { isOwnHost, ownOrigins } = ownHosts(config)
  const files = staticFiles(config)
  const app = webApplication(parts, {
    ...settings,
    findSession,
    report: reportDenial(log),
    assetUrl: files.url,
    shardOf,
    pages: ownPages(config),
    tables: routeTables(config, resources),
    middleware: [
      requestLog(log, { callers: server.log_callers }),
      ...developmentMiddleware(config),
      securityHeaders(settings),
      health(ready),
      requireHttps({
        baseUrl: server.base_url,
        behindProxy: server.trust_proxy > 0,
        ...(hasSubdomains(config) && { isOwnHost }),
      }),
      securityTxt(config.security_txt),
      files.serve,
      ...(server.compress ? [compression] : []),
      requestChecks(isOwnHost),
      inDatabase(db, { shardOf, ...(isStarted && { isStarted }) }),
      refuseCrossOrigin(ownOrigins),
      formBody,
    ],
  })
  useParts(app, { config, resources })
  return app
}
