import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callerPath } from '../caller-folder.ts'
import { Exit, EXIT } from '../exit.ts'
import { gitText, tryGit } from '../project/git.ts'
import type { Origin } from '../project/place.ts'
import { compareVersions, isRelease } from '../project/versions.ts'
import { commitOfFolder, type Store } from './source.ts'

export interface Named {
  readonly version: string
  readonly commit: string
}

export interface Release extends Named {
  readonly pergola: Origin
}

export const inWords = ({ version, commit }: Named): string => `${version} (${commit.slice(0, 9)})`

export function originOf(root: string): Origin {
  const { pergola = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    pergola?: Origin
  }
  return pergola
}

interface BaseInput {
  readonly root: string
  readonly theirs: string
  readonly baseOption: string | undefined
  /** Whether upstream is a folder without a repository, so that its history is unknown. */
  readonly isSnapshot?: boolean
}

/**
 * Returns the commit that the application's files came from. This is the newest of the release tag, the recorded commit and
 * the merge base of both histories. The tag is newer than the recorded commit, because a commit can't contain its own hash
 * and so a release records its parent. Ignores commits that upstream lacks: compared with a commit of the application, the
 * new version would seem to remove every file of the developer.
 */
export function baseCommit(
  store: Store,
  { root, theirs, baseOption, isSnapshot = false }: BaseInput,
): string {
  if (baseOption !== undefined)
    return (
      store.commit(baseOption) ??
      commitOfFolder(store, callerPath(baseOption)) ??
      unknownBase(`${baseOption} is neither a commit of upstream nor a folder with a version of Pergola.`)
    )
  const origin = originOf(root)
  const candidates = [
    origin.version === undefined ? null : store.commit(`refs/tags/v${origin.version}`),
    ownTag(store, root, origin),
    origin.commit === undefined ? null : store.commit(origin.commit),
    forkedAt(store, root, theirs),
  ]
    .filter((candidate) => candidate !== null)
    .filter((candidate) => isSnapshot || isOfUpstream(store, candidate))
  const newest = candidates.find((candidate) =>
    candidates.every((other) => isAncestor(store, other, candidate) || !isAncestor(store, candidate, other)),
  )
  if (newest !== undefined) return newest
  if (isSnapshot && isRecorded(origin, store, theirs)) return theirs
  return unknownBase('The version that this application came from is unknown.')
}

interface Downgrade {
  readonly from: Named
  readonly to: Named
  readonly force: boolean | undefined
}

/**
 * Throws if the new version has a lower release number than the current one, or is an ancestor of it. A release with a lower
 * number can be made later, to maintain an older version.
 */
export function refuseDowngrade(store: Store, { from, to, force = false }: Downgrade): void {
  if (force || from.commit === to.commit) return
  const areReleases = isRelease(from.version) && isRelease(to.version)
  const isOlder = areReleases && compareVersions(to.version, from.version) < 0
  if (!isOlder && !isAncestor(store, to.commit, from.commit)) return
  throw new Exit(
    EXIT.conflict,
    `${inWords(to)} is older than ${inWords(from)}, the version of this application. Use --force to downgrade. No files were written.`,
  )
}

/** Returns the version in the package.json of a commit, and the release that it records. */
export function releaseOf({ folder }: Store, commit: string): Release {
  const text = tryGit(['cat-file', 'blob', `${commit}:package.json`], { cwd: folder })
  const { version = 'unknown', pergola = {} } = JSON.parse(text ?? '{}') as Partial<Release>
  return { version, commit, pergola }
}

/** Returns whether a commit records the same release. An unreleased commit contains the record of the previous one. */
function isRecorded({ version, commit }: Origin, store: Store, theirs: string): boolean {
  const { pergola } = releaseOf(store, theirs)
  return commit !== undefined && commit === pergola.commit && version === pergola.version
}

/**
 * Returns the commit of the release tag in the application's repository, because upstream has no tags if it is a folder
 * without a repository. The application may have its own tag of that name: only the tag of the release is on the commit
 * after the recorded one.
 */
function ownTag(store: Store, root: string, { version, commit }: Origin): string | null {
  if (version === undefined || commit === undefined) return null
  const resolve = (name: string) =>
    tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', name], { cwd: root })
  const parent = resolve(`refs/tags/v${version}^{commit}~1`)
  if (parent === null || parent !== resolve(`${commit}^{commit}`)) return null
  // Null for a shallow clone, whose commits the store lacks.
  return store.commit(resolve(`refs/tags/v${version}^{commit}`) ?? '')
}

/**
 * Returns whether a branch or tag of upstream contains the commit. Always true for a shallow upstream, whose history
 * is cut off.
 */
function isOfUpstream({ folder }: Store, commit: string): boolean {
  if (gitText(['rev-parse', '--is-shallow-repository'], { cwd: folder }) === 'true') return true
  return Boolean(tryGit(['for-each-ref', '--count=1', `--contains=${commit}`], { cwd: folder }))
}

function forkedAt(store: Store, root: string, theirs: string): string | null {
  const head = tryGit(['rev-parse', 'HEAD'], { cwd: root })
  return head === null ? null : tryGit(['merge-base', head, theirs], { cwd: store.folder })
}

const isAncestor = (store: Store, one: string, other: string): boolean =>
  tryGit(['merge-base', '--is-ancestor', one, other], { cwd: store.folder }) !== null

function unknownBase(problem: string): never {
  throw new Exit(
    EXIT.usage,
    `${problem} Specify that version with --base: its commit in the repository of --from, or the folder of its unpacked archive. ` +
      '`git log --diff-filter=A -- app/app.ts` shows when the files were added. No files were written.',
  )
}
