import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApplicationCode } from './application-code.ts'

/** What views can be compared with: the routes that the manifest lists, and the tables of the application. */
export interface DeclaredRoutes {
  /** The paths of all routes: `/posts/:id`. Empty without a manifest. */
  readonly paths: readonly string[]
  /** The resources whose record a route loads by its id, by its method and path. */
  readonly resources: ReadonlyMap<string, readonly string[]>
  /** The bases of the route tables, by their names. */
  readonly bases: ReadonlyMap<string, string>
}

interface Listed {
  readonly path: string
  readonly method: string
  readonly guards: readonly string[]
}

export function declaredRoutes(root: string, code: ApplicationCode): DeclaredRoutes {
  const { dimensions, excluded } = manifestIn(root)
  const routes = dimensions.routes.entries
  return {
    paths: [
      ...routes.map(({ path }) => path),
      ...excluded.development_only.map(({ route }) => route.replace(/^\w+ /, '')),
    ],
    resources: new Map(routes.map(({ method, path, guards }) => [`${method} ${path}`, loadedBy(guards)])),
    bases: new Map([...code.values()].flatMap(basesIn)),
  }
}

/** Returns the resources whose record the guards load by its id: `load Post by id`. */
const loadedBy = (guards: readonly string[]): string[] =>
  guards.flatMap((guard) => /^load (\w+) by id\b/.exec(guard)?.[1] ?? [])

/** Returns the manifest, or an empty one if it can't be read, for example during a merge. */
function manifestIn(root: string): typeof NONE {
  try {
    const { dimensions, excluded } = JSON.parse(
      readFileSync(join(root, 'security.manifest.json'), 'utf8'),
    ) as typeof NONE
    return Array.isArray(dimensions.routes.entries) && Array.isArray(excluded.development_only)
      ? { dimensions, excluded }
      : NONE
  } catch {
    return NONE
  }
}

const NONE = {
  dimensions: { routes: { entries: [] as Listed[] } },
  excluded: { development_only: [] as { readonly route: string }[] },
}

const basesIn = (text: string): [string, string][] =>
  [...text.matchAll(/^export const (\w+) = routes\('([^']*)'/gm)].map(([, name = '', base = '']) => [
    name,
    base,
  ])
