import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Exit, EXIT } from '../exit.ts'
import { git, gitText, tryGit } from './git.ts'
import { withoutCredentials } from './place.ts'
import { isRelease, newestRelease } from './versions.ts'

/** A temporary repository with the commits of upstream. It borrows the objects of the application's own repository. */
export interface Store {
  readonly folder: string
  /** The full id of a commit; null if it isn't there. */
  commit(name: string): string | null
  close(): Promise<void>
}

/** Opens a store. Until it is closed, SIGINT and SIGTERM end the process and remove the folder. */
export function openStore(root: string): Store {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-upgrade-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of SIGNALS) process.on(signal, interrupt)
  git(['init', '--quiet', '--bare', folder])
  // Git would take the history that a shallow clone lacks for complete.
  const isShallow = tryGit(['rev-parse', '--is-shallow-repository'], { cwd: root }) === 'true'
  const objects = tryGit(['rev-parse', '--git-path', 'objects'], { cwd: root })
  if (objects !== null && !isShallow)
    writeFileSync(join(folder, 'objects/info/alternates'), `${resolve(root, objects)}\n`)
  return {
    folder,
    commit: (name) =>
      tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], { cwd: folder }),
    async close() {
      // A signal that arrived while git ran is delivered before this resolves.
      await setImmediate()
      for (const signal of SIGNALS) process.off(signal, interrupt)
      process.off('exit', remove)
      remove()
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const interrupt = (): never => process.exit(EXIT.interrupted)

const HEAD = 'refs/pergola/head'

export interface FetchedVersion {
  readonly commit: string
  /** Whether it is a commit of a folder without a repository: only this machine has it. */
  readonly isSnapshot: boolean
}

/** Reads upstream into the store, and finds the version there: a release, a branch or a commit. A folder without a repository is one version. */
export function fetchVersion(store: Store, from: string, version: string | null): FetchedVersion {
  if (isPlainFolder(from)) return { commit: snapshot(store, from), isSnapshot: true }
  const refs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', `+HEAD:${HEAD}`]
  try {
    git(['fetch', '--quiet', '--no-tags', '--update-shallow', '--', from, ...refs], { cwd: store.folder })
  } catch (error) {
    throw new Exit(EXIT.failed, withoutCredentials(`${from} can't be read: ${(error as Error).message}`))
  }
  const releases = releasesIn(store)
  const requested = version ?? newestRelease(releases) ?? HEAD
  const commit = commitNamed(store, requested)
  if (commit !== null) return { commit, isSnapshot: false }
  const known = releases.length > 0 ? `It has ${releases.join(', ')}.` : 'It has no releases yet.'
  throw new Exit(EXIT.usage, `${withoutCredentials(from)} has no version ${requested}. ${known}`)
}

/** `1.2.0` is the tag v1.2.0; other words are tags, branches and commits. */
const commitNamed = (store: Store, name: string): string | null =>
  (isRelease(name) ? store.commit(`refs/tags/v${name.replace(/^v/, '')}`) : null) ??
  (name === 'HEAD' ? store.commit(HEAD) : store.commit(name))

const releasesIn = (store: Store): string[] =>
  gitText(['tag', '--list', 'v*'], { cwd: store.folder })
    .split('\n')
    .map((tag) => tag.replace(/^v/, ''))
    .filter(isRelease)

const isPlainFolder = (from: string): boolean =>
  existsSync(join(from, 'package.json')) && !existsSync(join(from, '.git'))

/** The version in a folder: an unpacked archive, or the commit that a clone has checked out. Returns null for other folders. */
export function commitOfFolder(store: Store, folder: string): string | null {
  if (isPlainFolder(folder)) return snapshot(store, folder)
  if (!existsSync(join(folder, '.git'))) return null
  const ref = 'refs/pergola/folder'
  git(['fetch', '--quiet', '--no-tags', '--update-shallow', '--', folder, `+HEAD:${ref}`], {
    cwd: store.folder,
  })
  return store.commit(ref)
}

/** A commit of the files in a folder that has no repository, as an unpacked archive has none. */
function snapshot(store: Store, folder: string): string {
  const where = [`--git-dir=${store.folder}`, `--work-tree=${resolve(folder)}`]
  const index = join(store.folder, 'snapshot-index')
  // Another folder may have been read before.
  rmSync(index, { force: true })
  const env = { GIT_INDEX_FILE: index }
  git([...where, '-c', 'core.autocrlf=false', 'add', '--all', '.'], { cwd: folder, env })
  const tree = gitText(['write-tree'], { cwd: store.folder, env })
  return gitText([...AUTHOR, 'commit-tree', tree, '-m', 'Snapshot'], { cwd: store.folder })
}

const AUTHOR = ['-c', 'user.name=pergola', '-c', 'user.email=pergola@localhost']
