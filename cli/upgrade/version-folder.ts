import { existsSync, mkdirSync, mkdtempDisposableSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from '../project/git.ts'
import { type Tree, writeTree } from './tree.ts'

/** Writes the files of a version into a temporary folder, so that its code can run. Removes the folder after `work`. */
export function inVersionFolder<Result>(
  { store, tree, root }: { store: string; tree: Tree; root: string },
  work: (folder: string) => Result,
): Result {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pergola-version-'))
  checkOut(store, tree, folder.path)
  linkPackages(folder.path, [join(root, 'node_modules'), join(import.meta.dirname, '../../node_modules')])
  return work(folder.path)
}

/** Writes the files of a tree into a folder, without a conversion of their line ends. */
export function checkOut(store: string, tree: Tree, folder: string): void {
  const words = ['-c', 'core.autocrlf=false', 'read-tree', '--reset', '-u', writeTree(store, tree)]
  const index = { GIT_INDEX_FILE: join(store, 'version-index') }
  git([`--git-dir=${store}`, `--work-tree=${folder}`, ...words], { cwd: folder, env: index })
  rmSync(index.GIT_INDEX_FILE)
}

/** Links the installed packages. `pergola` is a link to the framework of this version instead of the installed one. */
export function linkPackages(folder: string, places: readonly string[]): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  const framework = join(folder, 'app/framework')
  if (existsSync(join(framework, 'package.json')))
    symlinkSync(framework, join(modules, 'pergola'), 'junction')
  for (const place of places.filter((place) => existsSync(place)))
    for (const name of readdirSync(place))
      if (name !== 'pergola' && !name.startsWith('.') && !existsSync(join(modules, name)))
        symlinkSync(join(place, name), join(modules, name), 'junction')
}
