import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Exit, EXIT } from '../exit.ts'
import { git, gitText, tryGit } from '../project/git.ts'
import { withoutCredentials } from '../project/place.ts'
import { isRelease, newestRelease } from '../project/versions.ts'

/** A temporary repository with the commits of upstream. It also reads the objects of the application's repository. */
export interface Store {
  readonly folder: string
  /** Returns the full id of a commit; null if the store lacks it. */
  commit(name: string): string | null
  /** Lets the store read the objects of the application, even if it is a shallow clone. */
  linkObjects(): void
  close(): Promise<void>
}

/** Opens a store. Until it is closed, SIGINT and SIGTERM end the process and remove the folder. */
export function openStore(root: string): Store {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-upgrade-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of SIGNALS) process.on(signal, interrupt)
  git(['init', '--quiet', '--bare', folder])
  const objects = tryGit(['rev-parse', '--git-path', 'objects'], { cwd: root })
  const linkObjects = () =>
    writeFileSync(join(folder, 'objects/info/alternates'), `${resolve(root, objects ?? '')}\n`)
  // While git reads the history, not for a shallow clone: git would treat its truncated history as complete.
  const isShallow = tryGit(['rev-parse', '--is-shallow-repository'], { cwd: root }) === 'true'
  if (objects !== null && !isShallow) linkObjects()
  return {
    folder,
    linkObjects,
    commit: (name) =>
      tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], { cwd: folder }),
    async close() {
      // Node delivers a signal that arrived while git ran before this promise resolves.
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
  /** Whether the version is a folder without a repository, so that its commit exists only on this machine. */
  readonly isSnapshot: boolean
}

/**
 * Fetches upstream into the store and returns the commit of a release, branch or commit. A folder without a repository has
 * only one version.
 */
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

/** Returns the commit of a name. `1.2.0` is the tag v1.2.0. Other names are tags, branches or commits. */
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

/**
 * Returns the commit of a folder: an unpacked archive, or the checked-out commit of a clone. Returns null for other
 * folders.
 */
export function commitOfFolder(store: Store, folder: string): string | null {
  if (isPlainFolder(folder)) return snapshot(store, folder)
  if (!existsSync(join(folder, '.git'))) return null
  const ref = 'refs/pergola/folder'
  git(['fetch', '--quiet', '--no-tags', '--update-shallow', '--', folder, `+HEAD:${ref}`], {
    cwd: store.folder,
  })
  return store.commit(ref)
}

/** Commits the files of a folder without a repository, like an unpacked archive, to the store. Returns the commit. */
function snapshot(store: Store, folder: string): string {
  const where = [`--git-dir=${store.folder}`, `--work-tree=${resolve(folder)}`]
  const index = join(store.folder, 'snapshot-index')
  // The index may contain another folder.
  rmSync(index, { force: true })
  const env = { GIT_INDEX_FILE: index }
  git([...where, '-c', 'core.autocrlf=false', 'add', '--all', '.'], { cwd: folder, env })
  const tree = gitText(['write-tree'], { cwd: store.folder, env })
  return gitText([...AUTHOR, 'commit-tree', tree, '-m', 'Snapshot'], { cwd: store.folder })
}

export const AUTHOR = ['-c', 'user.name=pergola', '-c', 'user.email=pergola@localhost']
