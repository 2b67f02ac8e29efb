import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import { tryGit } from './git.ts'
import type { Store } from './source.ts'

/** `"pergola"` in the package.json of an application: where its files came from. */
export interface Origin {
  readonly version?: string
  readonly commit?: string
  readonly from?: string
}

export function originOf(root: string): Origin {
  const file = join(root, 'package.json')
  if (!existsSync(file))
    throw new Exit(EXIT.usage, `${root} has no package.json: give the folder of an application.`)
  const { pergola = {} } = JSON.parse(readFileSync(file, 'utf8')) as { pergola?: Origin }
  return pergola
}

/**
 * The commit that the application's files came from: the newest of the release tag, the recorded commit and the commit
 * at which the application's own history left that of upstream. A commit can't contain its own hash, so a release records
 * the commit before it, and its tag is the newer one.
 */
export function baseCommit(
  store: Store,
  { root, theirs, given }: { root: string; theirs: string; given: string | undefined },
): string {
  if (given !== undefined) return store.commit(given) ?? unknownBase(`There is no commit ${given}.`)
  const { version, commit } = originOf(root)
  const candidates = [
    version === undefined ? null : store.commit(`refs/tags/v${version}`),
    // A clone has the tags of upstream, which a folder without a repository has not.
    version === undefined ? null : tryGit(['rev-parse', '--verify', `v${version}^{commit}`], { cwd: root }),
    commit === undefined ? null : store.commit(commit),
    forkedAt(store, root, theirs),
  ].filter((candidate) => candidate !== null)
  const newest = candidates.find((candidate) =>
    candidates.every((other) => isAncestor(store, other, candidate) || !isAncestor(store, candidate, other)),
  )
  return newest ?? unknownBase('The version that this application came from is unknown.')
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
    `${problem} Give its commit in the upstream repository with --base, and that repository with --from. ` +
      '`git log --diff-filter=A -- app/app.ts` shows when the files were added. No files were written.',
  )
}
