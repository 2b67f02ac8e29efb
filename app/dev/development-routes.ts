import { type DeclaredResource, publicRoute, type Routes } from 'pergola'
import { jobRoutes } from 'pergola/jobs'
import { mailRoutes } from 'pergola/mail'
import type { Config } from '#app/config.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'
import { devRoutes } from './dev.controller.ts'

/** Returns the pages for developers: none in production, and none in tests without a browser. */
export function developmentRoutes(
  config: Config,
  tables: readonly Routes[],
  resources: readonly DeclaredResource[],
): Routes[] {
  // Browser tests open the links in mails, and check the components.
  const isBrowserTest = config.profile === 'test' && config.mail.url?.startsWith('file:')
  if (config.profile !== 'development' && !isBrowserTest) return []
  return [
    devRoutes(tables, resources),
    jobRoutes('/_dev/jobs', [publicRoute()]),
    mailRoutes('/_dev/mail', [publicRoute()], mailSettings(config)),
  ]
}
