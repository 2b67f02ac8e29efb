import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DeclaredResource } from 'pergola'
import type { Manifest } from 'pergola/manifest'
import type { Target } from './field-types/field-type.ts'
import type { Names } from './read/names.ts'
import { identifiersOf, RESOURCE_LIST } from './project/resource-list.ts'
import { namesOf } from './read/names.ts'

/** What a new resource meets in the project. */
export interface Existing {
  /** The resources that are there, as others refer to them. */
  readonly targets: readonly Target[]
  /** Which resource refers to which table. */
  readonly references: readonly { readonly from: string; readonly table: string }[]
  readonly tables: ReadonlySet<string>
  /** Folders below app/, views/ and e2e/. */
  readonly folders: ReadonlySet<string>
  /** The beginnings of addresses: `login`, `api`, `api/users`. */
  readonly paths: ReadonlySet<string>
  /** What app/resources.ts imports and declares. */
  readonly identifiers: ReadonlySet<string>
}

/** A project without anything that a name could collide with. */
export const EMPTY_PROJECT: Existing = {
  targets: [],
  references: [],
  tables: new Set(),
  folders: new Set(),
  paths: new Set(),
  identifiers: new Set(),
}

/** Reads the project in this folder: its list of resources, migrations, folders and routes. */
export async function existingIn(root: string): Promise<Existing> {
  const load = (path: string) => import(pathToFileURL(join(root, path)).href) as Promise<unknown>
  const { resources } = (await load('app/resources.ts')) as { resources: readonly DeclaredResource[] }
  const { productionManifest } = (await load('app/manifest.ts')) as { productionManifest: () => Manifest }
  const declared = resources.map(({ repository }) => repository.resource)
  return {
    targets: declared.map(({ name, table, label, idKind }) => ({
      names: namesOf(name, { plural: table }),
      label,
      id: idKind,
      isUser: table === 'users',
      isSelf: false,
    })),
    references: declared.flatMap(({ name, references }) =>
      Object.values(references).map(({ table }) => ({ from: name, table })),
    ),
    tables: migratedTables(root).union(declaredTables(root)),
    folders: new Set(
      globSync('{app,views,e2e}/*/', { cwd: root }).map((path) => path.split(/[\\/]/)[1] ?? ''),
    ),
    paths: routePaths(productionManifest()),
    identifiers: identifiersIn(readFileSync(join(root, RESOURCE_LIST), 'utf8')),
  }
}

/** The tables that migrations make and don't drop again, the framework's and the application's. */
function migratedTables(root: string): Set<string> {
  const tables = new Set<string>()
  for (const file of globSync('app/{framework,db}/migrations/*.ts', { cwd: root }).toSorted(byName)) {
    const [up = ''] = readFileSync(join(root, file), 'utf8').split(/export (?:async )?function down/)
    for (const [, verb, table = ''] of up.matchAll(/\b(create|drop)Table\(\s*['"](\w+)['"]/g))
      if (verb === 'create') tables.add(table)
      else tables.delete(table)
  }
  return tables
}

/** Migrations run in the order of their names, whatever their folder. */
const byName = (one: string, other: string): number => (basename(one) < basename(other) ? -1 : 1)

/** The tables that the application declares, not those of its test support: `interface Tables { notes: NoteTable }`. */
function declaredTables(root: string): Set<string> {
  const texts = globSync('app/**/*.ts', { cwd: root })
    .filter((file) => !/^app[\\/](?:framework|test)[\\/]/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
  const bodies = texts.flatMap((text) => [...text.matchAll(/\binterface Tables \{([^}]*)/g)])
  return new Set(
    bodies.flatMap(([, body = '']) => [...body.matchAll(/^\s*(\w+):/gm)].map(([, table = '']) => table)),
  )
}

/** Of the code, whether or not anybody has reviewed it. */
function routePaths({ dimensions, excluded }: Manifest): Set<string> {
  const routes = [
    ...dimensions.routes.entries.map(({ path }) => path),
    ...excluded.development_only.map(({ route }) => route.split(' ')[1] ?? ''),
  ]
  return new Set(routes.flatMap((path) => [path.split('/')[1] ?? '', path.split('/').slice(1, 3).join('/')]))
}

/** `{ type A, b as c }` has A and c. */
function identifiersIn(text: string): Set<string> {
  const imported = [...text.matchAll(/^import .*?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(','),
  )
  const declared = [...text.matchAll(/^export const (\w+)/gm)].map(([, name = '']) => name)
  return new Set([...imported, ...declared].map((name) => name.trim().split(/\s+/).at(-1) ?? ''))
}

/** The resource that somebody means by this name, in whatever form. */
export function targetNamed(text: string, { targets }: Pick<Existing, 'targets'>): Target | null {
  const { resource } = namesOf(text)
  const table = tableOf(text)
  return targets.find(({ names }) => names.resource === resource || names.table === table) ?? null
}

const tableOf = (text: string): string => namesOf(text, { plural: text }).table

/** What else is called as a resource of these names would be, in words; null when nothing is. */
export function nameConflict(names: Names, existing: Existing): string | null {
  const { targets, tables, folders, paths, identifiers } = existing
  const same = targets.find(
    (target) => target.names.resource === names.resource || target.names.table === names.table,
  )
  if (same) return `${same.names.resource} exists already, with the table ${same.names.table}`
  if (tables.has(names.table)) return `there is a table ${names.table} already`
  if (folders.has(names.folder)) return `there is a folder ${names.folder} in app/, views/ or e2e/ already`
  const path = [names.folder, `api/${names.folder}`].find((path) => paths.has(path))
  if (path !== undefined) return `/${path} is an address of the application already`
  const identifier = identifiersOf(names).find((name) => identifiers.has(name))
  return identifier === undefined ? null : `${RESOURCE_LIST} has a ${identifier} already`
}
