import { posix } from 'node:path'
import { git } from '../project/git.ts'
import { isFile, isSame, listOf, type Sides } from './tree.ts'

/** The trees of a merge in which the same file has the same path, so that git need not look for renames. */
export interface Aligned extends Sides {
  /** The old path of each file that the new version moves, by its new path. */
  readonly moves: ReadonlyMap<string, string>
}

export const LOCKFILE = 'package-lock.json'

/**
 * Aligns the trees of a merge. Git alone would follow the renames of the application too, and merge the changes of a
 * removed sample into a resource that resembles it.
 */
export function aligned(sides: Sides, renames: readonly Rename[]): Aligned {
  const [base, ours, theirs] = [new Map(sides.base), new Map(sides.ours), new Map(sides.theirs)]
  const moves = new Map<string, string>()
  for (const { from, to, score } of renames) {
    const [old, own, fresh] = [base.get(from), ours.get(from), theirs.get(to)]
    if (old === undefined || fresh === undefined) continue
    if (!isFile(own)) {
      // A file that the developer deleted is not added at another path, unless it has other content there.
      if (score >= 80) theirs.delete(to)
    } else if (isTakenOver(from, to) && !isSame(own, old)) {
      theirs.set(from, fresh)
    } else if (!ours.has(to)) {
      for (const [tree, entry] of [[base, old] as const, [ours, own] as const]) {
        tree.delete(from)
        tree.set(to, entry)
      }
      moves.set(to, from)
    }
  }
  const isLockKept = !isSame(ours.get(LOCKFILE), base.get(LOCKFILE))
  for (const path of new Set([...base.keys(), ...theirs.keys()])) {
    const isDeleted = base.has(path) ? !isFile(ours.get(path)) : !ours.has(path) && isInDeleted(path, sides)
    // If the application has packages of its own, npm updates its lockfile.
    if (!isDeleted && !(path === LOCKFILE && isLockKept)) continue
    base.delete(path)
    theirs.delete(path)
  }
  return { base, ours, theirs, moves }
}

/**
 * Returns whether the framework now contains this partial. An edited copy remains in views/, where it overrides the
 * new one.
 */
const isTakenOver = (from: string, path: string): boolean =>
  from.startsWith('views/') && path === `app/framework/${from}`

/** Returns whether the developer deleted the folder of a new file. Checks the nearest folder that the old version had. */
function isInDeleted(path: string, { base, ours }: Omit<Sides, 'theirs'>): boolean {
  const folder = posix.dirname(path)
  if (folder === '.') return false
  const has = (paths: Iterable<string>) => [...paths].some((other) => other.startsWith(`${folder}/`))
  return has(base.keys()) ? !has(ours.keys()) : isInDeleted(folder, { base, ours })
}

interface Rename {
  readonly from: string
  readonly to: string
  /** How similar both files are, in percent. */
  readonly score: number
}

/** Returns the files that the new version renames. Git prints `R087`, the old path and the new path of each. */
export function renamesBetween(store: string, base: string, theirs: string): Rename[] {
  const flags = ['-r', '-z', '-M50%', '-l0', '--diff-filter=R', '--name-status']
  // Git could report a fixture with similar content as the new path of a file.
  const words = ['diff-tree', ...flags, base, theirs, '--', ':(exclude)app/framework/test/fixtures']
  const parts = listOf(git(words, { cwd: store }))
  return Array.from({ length: parts.length / 3 }, (_, at) => {
    const [score = '', from = '', to = ''] = parts.slice(3 * at, 3 * at + 3)
    return { from, to, score: Number(score.slice(1)) }
  })
}
