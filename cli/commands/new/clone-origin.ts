import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gitText, tryGit } from '../../project/git.ts'
import { type Origin, publicPlace } from '../../project/place.ts'
import { originOf } from '../../upgrade/origin.ts'

/**
 * Returns the origin of an application that is created from the clone at `root`. An upgrade compares with this commit.
 * So it is the newest one that the remote of the clone has: the clone's own commits are changes of the application.
 */
export function originAt(root: string): Origin {
  const recorded = originOf(root)
  // The path of a clone means nothing on other machines.
  const from = recorded.from ?? publicPlace(root)
  const place = from === null ? {} : { from }
  // The folder of an unpacked archive may be part of another repository.
  if (!existsSync(join(root, '.git'))) return { ...recorded, ...place }
  const git = { cwd: root }
  const remote = gitText(['for-each-ref', '--format=%(objectname)', 'refs/remotes/origin'], git).split('\n')
  const head = gitText(['rev-parse', 'HEAD'], git)
  const shared = remote[0] === '' ? null : tryGit(['merge-base', 'HEAD', ...new Set(remote)], git)
  return { ...recorded, commit: shared ?? head, ...place }
}
