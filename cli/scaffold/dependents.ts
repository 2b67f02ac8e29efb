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
  const { folder } = names
  const users = [
    ...filesThatUse(root, `app/${folder}/`, { files: '{app,cli,e2e}/**/*.ts', usesOf: importsOf }),
    ...filesThatUse(root, `views/${folder}/`, { files: 'views/**/*.eta', usesOf: includesOf }),
  ]
  return [...new Set(resources), ...users.filter((path) => !leaving.includes(path))]
}

const filesThatUse = (
  root: string,
  own: string,
  { files, usesOf }: { files: string; usesOf: typeof importsOf },
) =>
  globSync(files, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== RESOURCE_LIST && !path.startsWith(own))
    .filter((path) => usesOf(path, textAt(root, path) ?? '').some((used) => used.startsWith(own)))
    .toSorted()
