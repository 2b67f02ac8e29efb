import type { RouteEntry } from 'pergola/manifest'

export interface RouteFilter {
  method?: string
  /** The beginning of the path, by whole segments. */
  path?: string
  access?: string
  role?: string
  /** The name of a resource that the route decides about. */
  resource?: string
}

/** The routes for which everything that is asked for is true. */
export function filterRoutes(routes: readonly RouteEntry[], filter: RouteFilter): RouteEntry[] {
  return routes.filter((route) =>
    Object.entries(filter).every(([key, wanted]) => TESTS[key as keyof RouteFilter]?.(route, wanted) ?? true),
  )
}

const TESTS: Record<keyof RouteFilter, (route: RouteEntry, wanted: string) => boolean> = {
  method: ({ method }, wanted) => method === wanted.toUpperCase(),
  path: ({ path }, wanted) => `${path}/`.startsWith(`${wanted.replace(/\/+$/, '')}/`),
  access: ({ classification }, wanted) => classification === wanted,
  role: ({ roles }, wanted) => roles.includes(wanted),
  resource: ({ policy }, wanted) => decidedAbout(policy).includes(wanted.toLowerCase()),
}

const decidedAbout = (policy: string | null) =>
  (policy ?? '').split(', ').map((decision) => decision.split(' ').at(-1)?.toLowerCase())
