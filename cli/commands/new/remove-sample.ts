import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { destroy } from '../../scaffold/destroy-resource.ts'
import { existingIn } from '../../scaffold/existing.ts'
import { inChild, type Project, type ProjectDatabase } from '../../scaffold/project/project.ts'
import { linkPackages } from '../../upgrade/version-folder.ts'

/** Removes the posts from a new application, whose packages are not installed. Its code runs with those of this clone. */
export async function removeSample(folder: string): Promise<void> {
  linkPackages(folder, [join(import.meta.dirname, '../../../node_modules')])
  try {
    await destroy(projectIn(folder), 'post', { force: true })
  } finally {
    for (const path of ['node_modules', '.data']) rmSync(join(folder, path), { recursive: true, force: true })
  }
}

const projectIn = (root: string): Project => ({
  root,
  uncommitted: () => [],
  existing: () => existingIn(root),
  manifest: () => inChild(root, ['routes', 'audit', '--json']),
  seeds: false,
  seed: () => Promise.resolve(),
  inDatabase: (work) => work(NO_DATABASE),
})

const NO_DATABASE: ProjectDatabase = {
  states: () => Promise.resolve([]),
  migrate: () => Promise.resolve([]),
  rollback: () => Promise.resolve([]),
  rowsIn: () => Promise.resolve(null),
}
