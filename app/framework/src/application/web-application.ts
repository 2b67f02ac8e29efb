import type { Express, Request, RequestHandler } from 'express'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { databaseFailure } from '../database/database-failure.ts'
import { defaultLimits } from '../features/limits/limit.ts'
import type { Routes } from '../http/routes/route-types.ts'
import { mount } from '../http/routes/routes.ts'
import { loadExpress } from '../http/server-packages.ts'
import { type HttpOptions, useHttp, type Viewer } from '../http/settings.ts'
import { errorPage, notFound } from '../http/views/error-page.ts'
import type { Authorization } from '../policy/authorization-types.ts'
import { denialLog } from '../policy/denial.ts'
import { policyContext } from '../policy/policy-context.ts'
import { useAuthorization } from '../policy/policy-state.ts'
import type { Tables } from '../resource/tables.ts'
import type { ShardOf, Shards } from '../scale/shards.ts'
import {
  type DeclaredPages,
  type DeclaredResource,
  missingScopeWarning,
  navOfResources,
  pagesOfResources,
  registryOfResources,
  type Replacements,
} from './declared-resources.ts'
import { shardFor } from './request-database.ts'

/** What an application gets from its server, and what its tests replace. */
export interface ApplicationParts extends Replacements {
  /** The database, or those of `[[database.shards]]`. */
  readonly db: Kysely<Tables> | Shards
  readonly log: Logger
  readonly resources: readonly DeclaredResource[]
  /** Whether this process can serve requests: for `health`. */
  readonly ready: () => Promise<boolean>
  /** Whether the database was checked: for `inDatabase`. */
  readonly isStarted?: () => boolean
}

/** The options of `webApplication`. */
export interface ApplicationOptions
  extends
    Omit<HttpOptions, 'nav' | 'routes' | 'shardFor' | 'viewer'>,
    Omit<Authorization, 'registry' | 'report'> {
  /** The middleware of every request, in this order. */
  readonly middleware: readonly RequestHandler[]
  /** Every route table, in the order in which they are matched. */
  readonly tables: readonly Routes[]
  /** The pages that belong to no resource: their links and their names in views. */
  readonly pages?: readonly DeclaredPages[]
  /** Receives each denial. Defaults to `denialLog(log)`. */
  readonly report?: Authorization['report']
  /** Milliseconds that a rule has for its answer; then it denies. Defaults to 5,000. */
  readonly ruleDeadline?: number
  /** How many proxies are trusted: the setting `trust proxy` of Express. Defaults to none. */
  readonly trustProxy?: number
  /** Returns the shard of a request, if `db` has several: also an option of `inDatabase`. */
  readonly shardOf?: ShardOf
}

/**
 * Creates an Express application: its middleware, its route tables with their guards, and its error page. Throws for a route
 * without an access guard, and for a guard whose resource has no policy.
 */
export function webApplication(parts: ApplicationParts, options: ApplicationOptions): Express {
  const { db, log, resources } = parts
  const { middleware, tables, pages = [], shardOf, trustProxy = false, ...settings } = options
  const app = loadExpress()()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', trustProxy)
  useHttp(app, {
    ...settings,
    viewer,
    nav: navOfResources([...resources, ...pages]),
    routes: pagesOfResources([...pages, ...resources]),
    ...(shardOf && { shardFor: shardFor(db, shardOf) }),
  })
  useAuthorization(app, {
    ...settings,
    report: settings.report ?? denialLog(log),
    registry: {
      ...registryOfResources(resources, parts),
      ...(settings.ruleDeadline !== undefined && { ruleDeadline: settings.ruleDeadline }),
      ...(settings.development && { onMissingScope: missingScopeWarning((sentence) => log.warn(sentence)) }),
    },
  })
  for (const each of middleware) app.use(each)
  mount(app, tables, defaultLimits(settings.limits ?? {}))
  app.use(notFound)
  app.use(errorPage(databaseFailure))
  return app
}

async function viewer(req: Request): Promise<Viewer | null> {
  const { session } = await policyContext(req)
  return session && { id: session.userId, name: session.name, roles: session.roles }
}
