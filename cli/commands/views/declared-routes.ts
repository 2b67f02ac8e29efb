import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What views can be compared with: the routes that the manifest lists, and the tables of the application. */
export interface DeclaredRoutes {
  /** The paths of all routes: `/posts/:id`. Empty without a manifest. */
  readonly paths: readonly string[]
  /** The resources whose records a route is about, by its method and path. */
  readonly resources: ReadonlyMap<string, readonly string[]>
  /** The bases of the route tables, by their names. */
  readonly bases: ReadonlyMap<string, string>
}

interface Listed {
  readonly path: string
}

interface Decision {
  readonly resource: string
  readonly route: string
}

export function declaredRoutes(root: string): DeclaredRoutes {
  const file = join(root, 'security.manifest.json')
  const { dimensions, excluded } = (
    existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NONE
  ) as typeof NONE
  const decisions = Map.groupBy(dimensions.authorization_policies.entries, ({ route }) => route)
  return {
    paths: [
      ...dimensions.routes.entries.map(({ path }) => path),
      ...excluded.development_only.map(({ route }) => route.replace(/^\w+ /, '')),
    ],
    resources: new Map([...decisions].map(([route, all]) => [route, all.map(({ resource }) => resource)])),
    bases: new Map(
      globSync('app/**/*.ts', { cwd: root, exclude: ['app/framework/**'] }).flatMap((path) =>
        basesIn(root, path),
      ),
    ),
  }
}

const NONE = {
  dimensions: { authorization_policies: { entries: [] as Decision[] }, routes: { entries: [] as Listed[] } },
  excluded: { development_only: [] as { readonly route: string }[] },
}

const basesIn = (root: string, path: string): [string, string][] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^export const (\w+) = routes\('([^']*)'/gm)].map(
    ([, name = '', base = '']) => [name, base],
  )
