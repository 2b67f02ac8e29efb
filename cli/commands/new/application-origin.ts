import { relative } from 'node:path'
import { tryGit } from '../../project/git.ts'
import { type Origin, publicPlace } from '../../project/place.ts'
import { originOf } from '../../upgrade/origin.ts'

/**
 * Returns the origin of an application in `folder`, created from the clone at `root`. An upgrade compares with this commit.
 * So it is the newest one that the remote of the clone has: the clone's own commits are changes of the application.
 */
export function originAt(root: string, folder: string, version: string): Origin {
  const recorded = originOf(root)
  const head = tryGit(['rev-parse', 'HEAD'], { cwd: root })
  const from = publicPlace(root) ?? recorded.from ?? relative(folder, root)
  if (head === null) return { version, ...recorded, from }
  const shared = tryGit(['merge-base', 'HEAD', 'refs/remotes/origin/HEAD'], { cwd: root })
  return { version: recorded.version ?? version, commit: shared ?? head, from }
}
