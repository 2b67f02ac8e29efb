import { createHash } from 'node:crypto'
import { copyFileSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Outcome } from './merge.ts'
import { LOCKFILE } from './plan.ts'
import type { Blob, Tree } from './tree.ts'
import { journalOf, refuseUnfinishedUpgrade, UPGRADE_FOLDER } from './unfinished.ts'

export interface Staged {
  readonly now: Tree
  readonly outcomes: readonly Outcome[]
  /** Whether `npm install` runs after the files are written. */
  readonly installs: boolean
  readonly installFlags: readonly string[]
  /** The text that `finish.js` prints at the end, and its exit code. */
  readonly report: string
  readonly code: number
}

interface State {
  readonly digest: string
  readonly executable: boolean
  /** The permissions of the file if it has to be created. */
  readonly mode?: number
}

interface Change {
  readonly path: string
  readonly before: State | null
  readonly after: State | null
  readonly isRenewed?: boolean
}

/**
 * Stores all data that `finish.js` needs to carry out the upgrade or to roll it back. Writes the journal last, because the
 * upgrade counts as begun when the journal exists.
 */
export function stage(root: string, { now, outcomes, ...rest }: Staged): void {
  const folder = join(root, UPGRADE_FOLDER)
  // Another upgrade may have begun since the first check. The folder then contains the data for its rollback.
  refuseUnfinishedUpgrade(root)
  rmSync(folder, { recursive: true, force: true })
  // The mode applies to .data if it does not exist yet.
  mkdirSync(dirname(folder), { recursive: true, mode: 0o711 })
  // Other users must not read the blobs, because the files may be private.
  mkdirSync(join(folder, 'blobs'), { recursive: true, mode: 0o700 })
  const store = (blob: Blob | undefined | null, path: string): State | null => {
    if (!blob) return null
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false })
    return { ...stateOf(folder, blob), ...(stats && { mode: stats.mode & 0o777 }) }
  }
  const changes: Change[] = targets(outcomes).map(({ path, after, source }) => ({
    path,
    before: store(now.get(path), path),
    after: store(after, source),
    isRenewed: path === LOCKFILE,
  }))
  const lock = store(now.get(LOCKFILE), LOCKFILE)
  const isListed = changes.some(({ path }) => path === LOCKFILE)
  const all = isListed
    ? changes
    : [...changes, { path: LOCKFILE, before: lock, after: lock, isRenewed: true }]
  copyFileSync(join(import.meta.dirname, 'finish.js'), join(folder, 'finish.js'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  const journal = journalOf(root)
  writeFileSync(`${journal}.unfinished`, JSON.stringify({ pid: process.pid, changes: all, ...rest }))
  renameSync(`${journal}.unfinished`, journal)
}

interface Target {
  readonly path: string
  readonly after: Blob | null
  /** The file whose permissions the new file gets. */
  readonly source: string
}

/** Returns the changes, with removals last, so that the content of a moved file always exists. */
function targets(outcomes: readonly Outcome[]): Target[] {
  const all = outcomes.flatMap(({ path, after, movedFrom: source = path, beside }) => [
    ...(beside === undefined ? [] : [{ path: beside.path, after: beside.blob, source }]),
    { path, after, source },
  ])
  return [...all.filter(({ after }) => after !== null), ...all.filter(({ after }) => after === null)]
}

function stateOf(folder: string, { bytes, executable }: Blob): State {
  const digest = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(join(folder, 'blobs', digest), bytes)
  return { digest, executable }
}
