import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitText } from '../project/git.ts'
import { type Resolution, resolve } from './merging/resolve.ts'
import { AUTHOR } from './source.ts'
import { type Entry, isSame, listOf, readBlob, type Sides, type Tree, treeOf, writeTree } from './tree.ts'

export interface Merged {
  /** The merged files. Those with a conflict have the content of the application. */
  readonly tree: Tree
  /** How each file that git can't merge is merged, by path. */
  readonly resolutions: ReadonlyMap<string, Resolution>
}

/**
 * Merges aligned trees with git. Resolves the files that git leaves to this command, like JSON, or reports their conflicts.
 */
export async function mergeTrees(store: string, sides: Sides, markers: boolean): Promise<Merged> {
  const resolutions = new Map<string, Resolution>()
  // Git would look for other paths of the removed files. Before version 2.49, no option prevents it.
  const isKept = (path: string) => !sides.base.has(path) || sides.theirs.has(path)
  const kept = (tree: Tree): Tree => new Map([...tree].filter(([path]) => isKept(path)))
  for (const [path, entry] of sides.base) {
    const own = sides.ours.get(path)
    if (isKept(path) || own === undefined) continue
    const contents = () => ({ base: readBlob(store, entry), ours: readBlob(store, own), theirs: null })
    resolutions.set(path, isSame(entry, own) ? REMOVED : await resolve(path, contents(), markers))
  }
  const merged = runMergeTree(store, [kept(sides.base), kept(sides.ours), sides.theirs])
  for (const [path, stages] of merged.conflicts) {
    const [base, ours, theirs] = [1, 2, 3].map((stage) => {
      const entry = stages.find((one) => one.stage === stage)
      return entry === undefined ? null : readBlob(store, entry)
    })
    if (!ours || !theirs) throw new Error(`git can't merge ${path}`)
    resolutions.set(path, await resolve(path, { base: base ?? null, ours, theirs }, markers))
  }
  return { tree: treeOf(store, merged.tree), resolutions }
}

const REMOVED: Resolution = { after: null }

function runMergeTree(store: string, trees: readonly [base: Tree, ours: Tree, theirs: Tree]) {
  // Git would merge these files by line, and two changes without a line in common can still be no valid code together.
  // Without a driver, it reports them as conflicts instead.
  const files = ['*.json', '*.toml', '*.[jt]s', '*.[cm][jt]s']
  writeFileSync(join(store, 'info/attributes'), files.map((pattern) => `${pattern} -merge\n`).join(''))
  const commit = (tree: Tree, ...flags: string[]) =>
    gitText([...AUTHOR, 'commit-tree', writeTree(store, tree), '-m', 'Merge', ...flags], { cwd: store })
  const [base, ...others] = trees
  // `--merge-base` requires git 2.40. Two commits with one parent work with older versions too.
  const parent = commit(base)
  const commits = others.map((tree) => commit(tree, '-p', parent))
  const words = ['merge-tree', '--write-tree', '--no-messages', '-z', ...commits]
  const [tree = '', ...stages] = listOf(git(words, { cwd: store, isDone: (status) => status <= 1 }))
  return { tree, conflicts: Map.groupBy(stages.map(stageOf), ({ path }) => path) }
}

/** Parses `100644 3b18e5… 2<tab>app/app.ts`. Stage 1 is the old version, 2 the application, 3 the new version. */
function stageOf(line: string): Entry & { stage: number; path: string } {
  const [, mode = '', id = '', stage, path = ''] = /^(\d+) (\w+) (\d)\t(.*)$/s.exec(line) ?? []
  return { mode, id, stage: Number(stage), path }
}
