import { globSync } from 'node:fs'
import type { Existing } from './existing.ts'
import type { Names } from './read/names.ts'
import { importsOf, includesOf } from './project/imported-files.ts'
import { RESOURCE_LIST } from './project/resource-list.ts'
import { textAt } from '../project/file-text.ts'

/**
 * Returns the code that depends on this resource: resources that refer to it, files that import from its folder, and views
 * that include its views. Omits the files in `leaving`, which are also removed.
 */
export function dependentsOf(
  root: string,
  names: Names,
  { references, leaving }: Pick<Existing, 'references'> & { leaving: readonly string[] },
): string[] {
  const resources = references
    .filter(({ from, table }) => table === names.table && from !== names.resource)
    .map(({ from }) => `the resource ${from}`)
  const users = [...importersOf(root, names), ...includersOf(root, names)]
  return [...new Set(resources), ...users.filter((path) => !leaving.includes(path))]
}

function importersOf(root: string, { folder }: Names): string[] {
  const own = `app/${folder}/`
  return globSync('{app,cli,e2e}/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== RESOURCE_LIST && !path.startsWith(own))
    .filter((path) => importsOf(path, textAt(root, path) ?? '').some((target) => target.startsWith(own)))
    .toSorted()
}

function includersOf(root: string, { folder }: Names): string[] {
  const own = `views/${folder}/`
  return globSync('views/**/*.eta', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith(own))
    .filter((path) => includesOf(path, textAt(root, path) ?? '').some((view) => view.startsWith(own)))
    .toSorted()
}
