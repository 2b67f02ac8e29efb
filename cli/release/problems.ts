import { gitText } from '../project/git.ts'
import { compareVersions, isRelease, newestRelease } from '../project/versions.ts'

/** Returns a message for each problem that prevents the release of this version. */
export function problemsOf(root: string, version: string): string[] {
  if (!isRelease(version)) return [`"${version}" is not a version: use npm run pergola -- release 1.2.3.`]
  const git = (...args: string[]) => gitText(args, { cwd: root })
  const newest = newestRelease(
    git('tag', '--list', 'v*').replaceAll(/^v/gm, '').split('\n').filter(isRelease),
  )
  return [
    git('branch', '--show-current') === 'main' ? null : 'Releases are made on main: git switch main.',
    git('status', '--porcelain') === '' ? null : 'There are uncommitted changes: commit them first.',
    newest === null || compareVersions(version, newest) > 0
      ? null
      : `${version} is not newer than ${newest}, the newest release.`,
  ].filter((problem) => problem !== null)
}
