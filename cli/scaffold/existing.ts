import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DeclaredResource } from 'pergola'
import type { Names, Target } from './model.ts'
import { namesOf } from './read/names.ts'

/** What a new resource meets in the project. */
export interface Existing {
  /** The resources that are there, as others refer to them. */
  readonly targets: readonly Target[]
  /** Which resource refers to which table. */
  readonly references: readonly { readonly from: string; readonly table: string }[]
  readonly tables: ReadonlySet<string>
  /** Folders below app/ and views/. */
  readonly folders: ReadonlySet<string>
  /** First parts of addresses: `login`. */
  readonly paths: ReadonlySet<string>
}

/** Reads the project in this folder: its list of resources, migrations, folders and routes. */
export async function existingIn(root: string): Promise<Existing> {
  const { href } = pathToFileURL(join(root, 'app/resources.ts'))
  const { resources } = (await import(href)) as { resources: readonly DeclaredResource[] }
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
    tables: migratedTables(root).union(new Set(declared.map(({ table }) => table))),
    folders: new Set(globSync('{app,views}/*/', { cwd: root }).map((path) => path.split(/[\\/]/)[1] ?? '')),
    paths: takenPaths(root),
  }
}

/** The tables that migrations make and don't drop again. */
function migratedTables(root: string): Set<string> {
  const tables = new Set<string>()
  for (const file of globSync('app/db/migrations/*.ts', { cwd: root }).toSorted()) {
    const [up = ''] = readFileSync(join(root, file), 'utf8').split(/export (?:async )?function down/)
    for (const [, verb, table = ''] of up.matchAll(/\b(create|drop)Table\(\s*['"](\w+)['"]/g))
      if (verb === 'create') tables.add(table)
      else tables.delete(table)
  }
  return tables
}

function takenPaths(root: string): Set<string> {
  const file = join(root, 'security.manifest.json')
  if (!existsSync(file)) return new Set()
  const { dimensions } = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  return new Set(dimensions.routes.entries.map(({ path }) => path.split('/')[1] ?? ''))
}

interface Manifest {
  dimensions: { routes: { entries: readonly { path: string }[] } }
}

/** The resource that somebody means by this name, in whatever form. */
export function targetNamed(text: string, { targets }: Pick<Existing, 'targets'>): Target | null {
  const { resource } = namesOf(text)
  const table = tableOf(text)
  return targets.find(({ names }) => names.resource === resource || names.table === table) ?? null
}

const tableOf = (text: string): string => namesOf(text, { plural: text }).table

/** What is taken by somebody else of what a resource of these names would need, in words. */
export function takenBy(names: Names, { targets, tables, folders, paths }: Existing): string | null {
  const same = targets.find(
    (target) => target.names.resource === names.resource || target.names.table === names.table,
  )
  if (same) return `${same.names.resource} exists already, with the table ${same.names.table}`
  if (tables.has(names.table)) return `there is a table ${names.table} already`
  if (folders.has(names.folder)) return `there is a folder ${names.folder} in app/ or views/ already`
  const path = [names.folder, names.file].find((path) => paths.has(path))
  return path === undefined ? null : `/${path} is a page already`
}
