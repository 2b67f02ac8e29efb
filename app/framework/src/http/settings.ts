import type { Application, Request } from 'express'
import type { Eta } from 'eta'
import type { Access } from './routes.ts'
import { viewsIn } from './views.ts'

/** Who looks at a page, as its layout shows them. */
export interface Viewer {
  readonly id: number
  readonly name: string
  readonly roles: readonly string[]
}

/** A link on the pages of whoever may follow it. */
export interface NavLink {
  readonly href: string
  readonly label: string
  /** The first guard of where it leads. */
  readonly access: Pick<Access, 'access' | 'roles'>
}

/** Whether the link leads this viewer further than to the sign-in page, or to a refusal. */
export function leadsIn({ access: { access, roles } }: NavLink, viewer: Viewer | null): boolean {
  if (access === 'public') return true
  return viewer !== null && (roles.length === 0 || roles.some((role) => viewer.roles.includes(role)))
}

/** What pages and cookies need to know of their application. */
export interface HttpOptions {
  /** The application's name: views have it as `it.appName`. */
  readonly name: string
  /** The folder of the application's views. */
  readonly views: string
  /** The page where guests sign in; it gets the address to come back to as `return_to`. */
  readonly signInPath: `/${string}`
  /** Below it every answer is JSON, and no form is read: `/api`. */
  readonly apiPrefix: `/${string}`
  /** Shows what broke on the page, and reads views and assets afresh for every request. */
  readonly development: boolean
  /** Served over TLS: cookies are `Secure` and carry the `__Host-` prefix. */
  readonly https: boolean
  /** Seals cookies; at least 32 characters. */
  readonly secret: string
  /** Null for a guest. */
  readonly viewer: (req: Request) => Promise<Viewer | null>
  readonly assetUrl: (name: string) => string
  readonly nav: readonly NavLink[]
}

export interface HttpSettings extends Omit<HttpOptions, 'views'> {
  readonly views: Eta
}

const settings = new WeakMap<Application, HttpSettings>()

/** Gives an application its settings, before its first request. */
export function useHttp(app: Application, options: HttpOptions): void {
  settings.set(app, { ...options, views: viewsIn(options.views, options) })
}

export const httpSettings = (req: Request): HttpSettings => httpSettingsOf(req.app as Application)

export function httpSettingsOf(app: Application): HttpSettings {
  const found = settings.get(app)
  if (found === undefined) throw new Error('This application has no settings. Call useHttp(app, …) first.')
  return found
}
