import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DeclaredResource } from 'pergola'
import type { Manifest } from 'pergola/manifest'
import type { Target } from './field-types/field-type.ts'
import type { Tenants } from './model.ts'
import { identifiersOf, RESOURCE_LIST } from './project/resource-list.ts'
import { type Names, namesOf } from './read/names.ts'

/** The names that the project already uses. */
export interface Existing {
  /** The resources that fields can refer to. */
  readonly targets: readonly Target[]
  /** The tables that each resource refers to. */
  readonly references: readonly { readonly from: string; readonly table: string }[]
  readonly tables: ReadonlySet<string>
  /** The folders in app/, views/ and e2e/. */
  readonly folders: ReadonlySet<string>
  /** The first one and two segments of the paths of routes: `login`, `api`, `api/users`. */
  readonly paths: ReadonlySet<string>
  /** The identifiers in app/resources.ts, and the route tables in app/pages.ts. */
  readonly identifiers: ReadonlySet<string>
  /** The tenants of the application. Left out without `tenantOf` in app/app.ts. */
  readonly tenants?: Tenants
}

/** Reads the names of the project in this folder. */
export async function existingIn(root: string): Promise<Existing> {
  const load = (path: string) => import(pathToFileURL(join(root, path)).href) as Promise<unknown>
  const { resources } = (await load('app/resources.ts')) as { resources: readonly DeclaredResource[] }
  const { productionManifest } = (await load('app/manifest.ts')) as { productionManifest: () => Manifest }
  const tenants = tenantsIn(readFileSync(join(root, 'app/app.ts'), 'utf8'))
  const declared = resources.map(({ repository }) => repository.resource)
  return {
    ...(tenants && { tenants }),
    targets: declared.map(({ name, table, label, idKind, tenant }, at) => ({
      names: namesOf(name, { plural: table }),
      label,
      id: idKind,
      isUser: table === 'users',
      isSelf: false,
      isNested: !Object.values(resources[at]?.routes ?? {}).some((one) => 'GET /:id' in one.table),
      // Users have the column, but no tenant: sign-in reads their table first.
      ...withTenant(tenant ?? (table === 'users' ? tenants?.column : undefined)),
    })),
    references: declared.flatMap(({ name, references }) =>
      Object.values(references).map(({ table }) => ({ from: name, table })),
    ),
    tables: tablesIn(root),
    folders: new Set(
      globSync('{app,views,e2e}/*/', { cwd: root }).map((path) => path.split(/[\\/]/)[1] ?? ''),
    ),
    paths: routePaths(productionManifest()),
    identifiers: identifiersIn(readFileSync(join(root, RESOURCE_LIST), 'utf8')).union(ownTables(root)),
  }
}

const withTenant = (tenant: string | undefined) => (tenant === undefined ? {} : { tenant })

/** Returns the tenants whose `tenantOf` the application imports; undefined without it. */
export function tenantsIn(app: string): Tenants | undefined {
  const [, folder, file] = /import \{ tenantOf \}\sfrom\s'\.\/([\w-]+)\/([\w-]+)\.ts'/.exec(app) ?? []
  if (folder === undefined || file === undefined) return undefined
  const names = namesOf(file, { plural: folder })
  return { names, column: `${file.replaceAll('-', '_')}_id` }
}

/** Returns the tables that the migrations create, and those that the application declares. */
export const tablesIn = (root: string): Set<string> => migratedTables(root).union(declaredTables(root))

/** Returns the tables that the migrations create and don't drop, by their last names. */
function migratedTables(root: string): Set<string> {
  const tables = new Set<string>()
  for (const file of globSync('app/{framework,db}/migrations/*.ts', { cwd: root }).toSorted(byName)) {
    const [up = ''] = readFileSync(join(root, file), 'utf8').split(/export (?:async )?function down/)
    for (const [, verb, table = '', name = table] of up.matchAll(TABLE)) {
      tables.delete(table)
      if (verb !== 'drop') tables.add(name)
    }
  }
  return tables
}

const TABLE = /\b(create|drop|alter)Table\(\s*['"](\w+)['"]\)?(?:\s*\.renameTo\(['"](\w+))?/g

/** Sorts migrations in the order in which they run: by name, not by folder. */
const byName = (one: string, other: string): number => (basename(one) < basename(other) ? -1 : 1)

/** Returns the tables that the application declares, without its tests: `interface Tables { notes: NoteTable }`. */
function declaredTables(root: string): Set<string> {
  const texts = globSync('app/**/*.ts', { cwd: root })
    .filter((file) => !/^app[\\/](?:framework|test)[\\/]/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
  const bodies = texts.flatMap((text) => firstGroups(text, /\binterface Tables \{([^}]*)/g))
  return new Set(bodies.flatMap((body) => firstGroups(body, /^\s*(\w+):/gm)))
}

/** Returns the first one and two segments of the paths of all routes. */
function routePaths({ dimensions, excluded }: Manifest): Set<string> {
  const routes = [
    ...dimensions.routes.entries.map(({ path }) => path),
    ...excluded.development_only.map(({ route }) => route.split(' ')[1] ?? ''),
  ]
  return new Set(routes.flatMap((path) => [path.split('/')[1] ?? '', path.split('/').slice(1, 3).join('/')]))
}

/** Returns the names that imports and exports declare: A and c for `import { type A, b as c }`. */
function identifiersIn(text: string): Set<string> {
  const imported = firstGroups(text, /^import .*?\{([^}]*)\}/gm).flatMap((names) => names.split(','))
  const declared = firstGroups(text, /^export const (\w+)/gm)
  return new Set([...imported, ...declared].map((name) => name.trim().split(/\s+/).at(-1) ?? ''))
}

/** Returns the names of the route tables that belong to no resource. Views have them beside those of the resources. */
function ownTables(root: string): Set<string> {
  const file = join(root, 'app/pages.ts')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  // Packages make tables, which have other names in views: `backgroundJobRoutes: jobRoutes(…)`.
  const own = text.replaceAll(/^import [^'"]* from ['"][^.'"].*$/gm, '')
  const imported = [...identifiersIn(own)].filter((name) => name.endsWith('Routes'))
  return new Set([...imported, ...firstGroups(own, /\b(\w+Routes):/g)])
}

const firstGroups = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, group = '']) => group)

/** Returns the resource with this name in any form: `BlogPost`, `blog_posts`. */
export function targetNamed(text: string, { targets }: Pick<Existing, 'targets'>): Target | null {
  const { resource } = namesOf(text)
  const { table } = namesOf(text, { plural: text })
  return targets.find(({ names }) => names.resource === resource || names.table === table) ?? null
}

/** Returns the conflict with an existing name as part of a sentence; null without one. */
export function nameConflict(names: Names, existing: Existing): string | null {
  const { targets, tables, folders, paths, identifiers } = existing
  const same = targets.find(
    (target) => target.names.resource === names.resource || target.names.table === names.table,
  )
  if (same) return `${same.names.resource} already exists, with the table ${same.names.table}`
  if (tables.has(names.table)) return `the table ${names.table} already exists`
  if (folders.has(names.folder)) return `the folder ${names.folder} already exists in app/, views/ or e2e/`
  const path = [names.folder, `api/${names.folder}`].find((path) => paths.has(path))
  if (path !== undefined) return `/${path} is already a route`
  const identifier = identifiersOf(names).find((name) => identifiers.has(name))
  return identifier === undefined ? null : `the application already has ${identifier}`
}
