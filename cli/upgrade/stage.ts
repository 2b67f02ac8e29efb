import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Outcome } from './merge.ts'
import { LOCKFILE } from './plan.ts'
import type { Blob, Tree } from './tree.ts'
import { journalOf, refuseUnfinishedUpgrade, UPGRADE_FOLDER } from './unfinished.ts'

export interface Staged {
  readonly now: Tree
  readonly outcomes: readonly Outcome[]
  /** Whether npm installs after the files are written. */
  readonly installs: boolean
  readonly installFlags: readonly string[]
  /** What is printed in the end, and the exit code. */
  readonly report: string
  readonly code: number
}

interface State {
  readonly digest: string
  readonly executable: boolean
}

interface Change {
  readonly path: string
  readonly before: State | null
  readonly after: State | null
  readonly isRenewed?: boolean
}

/** Writes down what `finish.js` needs to carry the upgrade out or to undo it. The journal comes last: without it, nothing has begun. */
export function stage(root: string, { now, outcomes, ...rest }: Staged): void {
  const folder = join(root, UPGRADE_FOLDER)
  // Another upgrade may have begun in the meantime: this folder has what undoes it.
  refuseUnfinishedUpgrade(root)
  rmSync(folder, { recursive: true, force: true })
  // The mode is for .data, which may not exist yet.
  mkdirSync(dirname(folder), { recursive: true, mode: 0o711 })
  mkdirSync(join(folder, 'blobs'), { recursive: true })
  const keep = (blob: Blob | undefined | null) => (blob ? stateOf(folder, blob) : null)
  const changes: Change[] = targets(outcomes).map(({ path, after }) => ({
    path,
    before: keep(now.get(path)),
    after: keep(after),
    isRenewed: path === LOCKFILE,
  }))
  const lock = keep(now.get(LOCKFILE))
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

/** Files that come before files that go: at any moment, everything is somewhere. */
function targets(outcomes: readonly Outcome[]): { path: string; after: Blob | null }[] {
  const beside = outcomes.flatMap(({ beside }) =>
    beside === undefined ? [] : [{ path: beside.path, after: beside.blob }],
  )
  const [gone, written] = [true, false].map((isGone) =>
    outcomes.filter(({ after }) => (after === null) === isGone),
  )
  return [...beside, ...(written ?? []), ...(gone ?? [])]
}

function stateOf(folder: string, { bytes, executable }: Blob): State {
  const digest = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(join(folder, 'blobs', digest), bytes)
  return { digest, executable }
}
