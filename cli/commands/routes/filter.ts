import type { RouteEntry } from 'pergola/manifest'

export interface RouteFilter {
  method?: string
  /** A prefix of the path that consists of whole segments. */
  path?: string
  access?: string
  role?: string
  /** The name of a resource in the route's policy decisions. */
  resource?: string
}

/** Returns the routes that match every given filter. */
export function filterRoutes(routes: readonly RouteEntry[], filter: RouteFilter): RouteEntry[] {
  return routes.filter((route) =>
    Object.entries(filter).every(
      ([key, expected]) => TESTS[key as keyof RouteFilter]?.(route, expected) ?? true,
    ),
  )
}

const TESTS: Record<keyof RouteFilter, (route: RouteEntry, expected: string) => boolean> = {
  method: ({ method }, expected) => method === expected.toUpperCase(),
  path: ({ path }, expected) => `${path}/`.startsWith(`${expected.replace(/\/+$/, '')}/`),
  access: ({ classification }, expected) => classification === expected,
  role: ({ roles }, expected) => roles.includes(expected),
  resource: ({ policy }, expected) => decidedAbout(policy).includes(expected.toLowerCase()),
}

const decidedAbout = (policy: string | null) =>
  (policy ?? '').split(', ').map((decision) => decision.split(' ').at(-1)?.toLowerCase())
