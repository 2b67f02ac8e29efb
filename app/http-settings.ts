import { fileURLToPath } from 'node:url'
import type { Request } from 'express'
import { pathTo } from 'pergola'
import { assets } from 'pergola/app'
import { isLinkPage } from './account-tokens/links.ts'
import { confirmationRoutes } from './account/confirmation.controller.ts'
import { signInRoutes } from './account/sign-in.controller.ts'
import { verificationRoutes } from './account/verification.controller.ts'
import type { Config } from './config.ts'
import { developmentAnswer } from './dev/development-routes.ts'
import { passwordPaths } from './pages.ts'
import { themeOf } from './theme/theme.controller.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** The files of packages, by their names for `it.asset`. */
const files = {
  'htmx.js': path('../node_modules/htmx.org/dist/htmx.min.js'),
}

declare module 'pergola/views' {
  interface AssetFiles extends Record<keyof typeof files, string> {}
}

export const staticFiles = ({ profile, server }: Config) =>
  assets({
    folder: path('../public'),
    files,
    development: profile === 'development',
    compress: server.compress,
  })

/** Returns the settings of pages, cookies, denials and limits. */
export const httpSettings = ({ app, profile, server, session, security }: Config) =>
  ({
    name: app.name,
    views: path('../views'),
    signInPath: pathTo(signInRoutes, 'GET /login'),
    verificationPath: pathTo(verificationRoutes, 'GET /'),
    confirmationPath: pathTo(confirmationRoutes, 'GET /'),
    passwordPaths,
    apiPrefix: '/api',
    development: profile === 'development',
    ...(profile === 'development' && { developmentAnswer }),
    https: server.base_url?.startsWith('https:') ?? false,
    trustProxy: server.trust_proxy,
    secret: session.secret,
    // A browser sends cookies to every port of localhost. Another application there must not replace this one's session.
    ...(profile === 'development' && { sessionCookie: `sid-${Buffer.from(app.name).toString('base64url')}` }),
    sessionLifetime: session.lifetime_hours * 3_600,
    pageData: (req: Request) => ({ theme: themeOf(req), isLinkPage: isLinkPage(req) }),
    forbiddenResponse: security.forbidden_response,
    ruleDeadline: security.rule_deadline_ms,
    limits: {
      writes: { requests: security.writes_per_minute, seconds: 60 },
      searches: { requests: security.searches_per_minute, seconds: 60 },
    },
  }) as const
