import { lstatSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import { git, gitText } from '../project/git.ts'
import { isFile, type Tree, treeOf, writeTree } from './tree.ts'

/** Throws if a folder, link or file occupies the path of a new file. */
export function refuseObstacles(root: string, ours: Tree, theirs: Iterable<string>): void {
  const added = [...theirs].filter((path) => !isFile(ours.get(path)))
  const obstacles = new Set(added.flatMap((path) => obstacleOf(root, path) ?? []))
  if (obstacles.size === 0) return
  const list = [...obstacles].join(', ')
  throw new Exit(
    EXIT.conflict,
    `These paths are in the way of new files: ${list}. Rename or remove them first. No files were written.`,
  )
}

function obstacleOf(root: string, path: string): string | undefined {
  const steps = path.split('/')
  const places = steps.map((_, at) => steps.slice(0, at + 1).join(sep))
  return places.find((place) => {
    const stats = lstatSync(join(root, place), { throwIfNoEntry: false })
    return stats !== undefined && (place === places.at(-1) || !stats.isDirectory())
  })
}

/**
 * Writes the new files of the application into its index and its work tree, and their objects into its repository. Writes
 * `besides` into the work tree only.
 */
export function writeUpgrade(
  root: string,
  store: string,
  { head, after, besides }: { head: string; after: Tree; besides: readonly string[] },
): void {
  const prefix = gitText(['rev-parse', '--show-prefix'], { cwd: root })
  const old = gitText(['rev-parse', `${head}^{tree}`], { cwd: root })
  // The application may be a folder of a larger repository.
  const others = [...treeOf(store, old)].filter(([path]) => !path.startsWith(prefix))
  const own = [...after].map(([path, entry]) => [`${prefix}${path}`, entry] as const)
  const tree = writeTree(store, new Map(prefix === '' ? own : [...others, ...own]))
  const words = ['pack-objects', '--revs', '--stdout', '--quiet']
  const pack = git(words, { cwd: store, input: `${tree}\n^${old}\n` })
  git(['unpack-objects', '-q'], { cwd: root, input: pack })
  try {
    git(['read-tree', '-m', '-u', head, tree], { cwd: root })
  } catch (error) {
    console.error(NOT_WRITTEN)
    throw error
  }
  if (besides.length > 0) git(['rm', '--cached', '--quiet', '--', ...besides], { cwd: root })
}

const NOT_WRITTEN =
  'git could not write all files. If `git status` shows changes, restore your files with `git reset --hard && git clean -fd`.'
