import type { RequestHandler } from 'express'
import { type DeclaredResource, publicRoute, type Routes } from 'pergola'
import type { ApplicationOptions } from 'pergola/app'
import { jobRoutes } from 'pergola/jobs'
import { mailRoutes } from 'pergola/mail'
import type { Config } from '#app/config.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'
import { devRoutes } from './dev.controller.ts'
import { requestRoutes } from './requests.controller.ts'

/** Returns the middleware that records what each request does, for `/_dev/requests`. */
export const developmentMiddleware = ({ profile, dev }: Config): RequestHandler[] =>
  profile === 'development' && dev.requests ? [recordRequest] : []

const recordRequest: RequestHandler = async (req, res, next) => {
  // Imported here, because servers in production import this file.
  const records = await import('pergola/dev')
  records.recordRequest(req, res, next)
}

/** Answers with the error of a handler or a view. */
export const developmentAnswer: NonNullable<ApplicationOptions['developmentAnswer']> = async (
  error,
  req,
  res,
) => {
  const [{ answerWithError }, { Youch }] = await Promise.all([import('pergola/dev'), import('youch')])
  return answerWithError(new Youch())(error, req, res)
}

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
    requestRoutes,
    jobRoutes('/_dev/jobs', [publicRoute()]),
    mailRoutes('/_dev/mail', [publicRoute()], mailSettings(config)),
  ]
}
