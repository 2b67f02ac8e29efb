import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from 'pergola/tasks'
import { Exit, EXIT } from '../exit.ts'
import { contained } from './contained.ts'
import { refuseUnfinishedUpgrade, upgraderIn } from '../upgrade/unfinished.ts'
import { diskOf, UNFINISHED } from './disk.ts'
import { textAt } from './file-text.ts'
import type { Change } from './writing.ts'

interface Journal {
  readonly pid: number
  readonly changes: readonly Change[]
}

const fileOf = (root: string): string => join(root, '.data/unfinished-scaffold.json')

/** Creates the journal, which is also a lock. Throws if another command is writing. */
export function openJournal(root: string): void {
  refuseUnfinishedUpgrade(root)
  const file = fileOf(root)
  // Creates .data with this mode if it does not exist.
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 })
  try {
    // Contains the process id from the start, so that no other command treats the journal as abandoned.
    writeFileSync(file, textOf([]), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Exit(EXIT.locked, 'Another scaffold or destroy is running. Try again when it has ended.')
  }
}

/** Records changes before they are made. */
export function writeJournal(root: string, changes: readonly Change[]): void {
  const file = fileOf(root)
  writeFileSync(file + UNFINISHED, textOf(changes))
  renameSync(file + UNFINISHED, file)
}

const textOf = (changes: readonly Change[]): string =>
  JSON.stringify({ pid: process.pid, changes } satisfies Journal)

export function closeJournal(root: string): void {
  rmSync(fileOf(root), { force: true })
  rmSync(fileOf(root) + UNFINISHED, { force: true })
}

export interface Recovered {
  /** Files with their previous text. */
  readonly restored: readonly string[]
  /** Files that another program has changed since then. They are not restored. */
  readonly skipped: readonly string[]
}

/** Returns the process id of a scaffold, destroy or upgrade that is writing; null if none is. */
export function writerIn(root: string): number | null {
  const pid = upgraderIn(root) ?? readJournal(root)?.pid
  return pid !== undefined && pid !== process.pid && isAlive(pid) ? pid : null
}

/** Rolls back the changes of a killed command. Returns null if none exist. Throws while another command is writing. */
export function recover(root: string): Recovered | null {
  refuseUnfinishedUpgrade(root)
  if (!existsSync(fileOf(root))) return null
  const writer = writerIn(root)
  if (writer !== null)
    throw new Exit(
      EXIT.locked,
      `Another scaffold or destroy (process ${writer}) is running. Try again when it has ended.`,
    )
  const changes = readJournal(root)?.changes ?? []
  const recovered = restoreFiles(root, changes)
  closeJournal(root)
  return changes.length === 0 ? null : recovered
}

/** Describes the rollback in sentences. */
export const recoveredInWords = ({ restored, skipped }: Recovered): string[] => [
  restored.length === 0
    ? 'An earlier command was killed. No files were restored.'
    : `An earlier command was killed. Its changes were rolled back: ${restored.join(', ')}.`,
  ...skipped.map((path) => `${path} was changed by another program and was not restored.`),
]

/** Reverts changes, last one first. Does not restore files that another program has changed since then. */
export function restoreFiles(root: string, changes: readonly Change[]): Recovered {
  const disk = diskOf(root)
  const [restored, skipped]: [string[], string[]] = [[], []]
  for (const { path, before, after } of changes.toReversed()) {
    const current = textAt(root, path)
    rmSync(contained(root, path) + UNFINISHED, { force: true })
    if (current === before) continue
    if (current !== after) {
      skipped.push(path)
      continue
    }
    restored.push(path)
    if (before === null) disk.remove(path)
    else disk.write(path, before)
  }
  return { restored, skipped }
}

/** Returns null if the journal is missing or incomplete. Then no file was changed yet. */
function readJournal(root: string): Journal | null {
  try {
    return JSON.parse(readFileSync(fileOf(root), 'utf8')) as Journal
  } catch {
    return null
  }
}
