import type { IncomingMessage } from 'node:http'
import type { Application, Request, Response } from 'express'
import type { Eta } from 'eta'
import type { Access, Routes } from './routes/route-types.ts'
import { viewsIn } from './views/views.ts'

/** The signed-in user, as layouts show them. */
export interface Viewer {
  readonly id: number
  readonly name: string
  readonly roles: readonly string[]
}

/** A navigation link. It is shown to the users that may open its page. */
export interface NavLink {
  readonly href: string
  readonly label: string
  /** The heading that it stands below. Links without one come first. */
  readonly group?: string
  /** The access guard of the linked page. */
  readonly access: Pick<Access, 'access' | 'roles'>
}

/** How many requests a key has in a window. The window begins with the first request. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
}

/** The limits of all routes without a `limit` of their own, per user; for guests per network. */
export interface DefaultLimits {
  /** All requests with unsafe methods together. */
  readonly writes?: Rate | undefined
  /** All GET requests with a search term (`?q=`) together. */
  readonly searches?: Rate | undefined
}

/** Route tables by the names that views use: `{ postRoutes }`. */
export type NamedRoutes = Readonly<Record<string, Routes>>

/** Returns whether the access guard of the linked page lets this viewer in. */
export function isOpenTo(
  { access: { access, roles } }: Pick<NavLink, 'access'>,
  viewer: Pick<Viewer, 'roles'> | null,
): boolean {
  if (access === 'public') return true
  return viewer !== null && (roles.length === 0 || roles.some((role) => viewer.roles.includes(role)))
}

/** The settings of requests and pages. */
export interface HttpOptions {
  /** The application's name, which views have as `it.appName`. */
  readonly name: string
  /** The folder of the application's views. A file there overrides the framework's view of the same path. */
  readonly views: string
  /** The page where guests sign in. It receives the page to return to as `return_to`. */
  readonly signInPath: `/${string}`
  /**
   * The page that explains how to verify the email address, for `secured({ verified: true })`. It receives `return_to`,
   * and `refused=true` after a refused write.
   */
  readonly verificationPath?: `/${string}`
  /**
   * The page that asks for the password again, for `recentlyConfirmed`. It receives `return_to`, and `refused=true` after
   * a refused write. In an overload, its writes have the places of sign-in.
   */
  readonly confirmationPath?: `/${string}`
  /** Further paths whose writes check or set a password. In an overload, they have the places of sign-in. */
  readonly passwordPaths?: readonly string[]
  /** The name of the session cookie; defaults to `sid`. A new name ends all sessions. */
  readonly sessionCookie?: string
  /** The lifetime of the session cookie, in seconds; defaults to 30 days. The application may end a session earlier. */
  readonly sessionLifetime?: number
  /** The path of the JSON APIs, such as `/api`: errors below it are JSON, and forms are not read. */
  readonly apiPrefix: `/${string}`
  /** Shows stack traces on error pages, and reads views again for every request. */
  readonly development: boolean
  /** Answers with an unexpected error, or returns false for the usual answer. Pass it in development only. */
  readonly developmentAnswer?: (error: Error, req: Request, res: Response) => Promise<boolean>
  /** Whether browsers use HTTPS: cookies are then `Secure` and have the `__Host-` prefix. */
  readonly https: boolean
  /** Encrypts cookies; 32 characters or more. Of several secrets, the first encrypts and all decrypt. */
  readonly secret: string | readonly string[]
  /** The limits of routes without a `limit` of their own. A counted request costs one statement, other GET requests none. */
  readonly limits?: DefaultLimits
  readonly viewer: (req: Request) => Promise<Viewer | null>
  /** Returns further values that every view has under `it`, such as the theme that the browser chose. */
  readonly pageData?: (req: Request) => Readonly<Record<string, unknown>>
  /** Returns the URL of an asset, for `it.asset('app.css')`: see `assets`. */
  readonly assetUrl: (name: string) => string
  readonly nav: readonly NavLink[]
  /** Each shard has places of its own, so that a database that hangs takes no places of the others. */
  readonly shardFor?: ((req: IncomingMessage) => string | null) | undefined
  readonly routes?: NamedRoutes
}

export interface HttpSettings extends Omit<HttpOptions, 'views'> {
  readonly views: Eta
  readonly sessionCookie: string
}

/** How responses are sent. `speed/` replaces both functions. */
export const responses: {
  prepare: (app: Application) => void
  sendHtml: (res: Response, html: string) => void
} = { prepare() {}, sendHtml: (res, html) => void res.type('html').send(html) }

/** The key of an application's settings. `app.locals` would show their secret to views. */
const SETTINGS = Symbol('settings')

/** Sets the name, the views and the cookies of an application, before `mount`. Throws if `apiPrefix` ends with a slash. */
export function useHttp(app: Application, options: HttpOptions): void {
  if (options.apiPrefix.endsWith('/'))
    throw new Error(`The apiPrefix '${options.apiPrefix}' ends with a slash. Use a path like '/api'.`)
  const value: HttpSettings = { sessionCookie: 'sid', ...options, views: viewsIn(options.views, options) }
  Object.defineProperty(app, SETTINGS, { value, configurable: true })
  responses.prepare(app)
}

/** Returns the settings, or undefined for a listener that is not an application with `useHttp`. */
export const settingsOf = (listener: object): HttpSettings | undefined =>
  (listener as { readonly [SETTINGS]?: HttpSettings })[SETTINGS]

export function httpSettings(app: Application): HttpSettings {
  const options = settingsOf(app)
  if (options === undefined)
    throw new Error('This application has no settings. Create it with webApplication.')
  return options
}
