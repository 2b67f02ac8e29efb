import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from 'pergola/tasks'
import { Exit, EXIT } from '../../exit.ts'
import { contained } from './contained.ts'
import { refuseUnfinishedUpgrade, upgraderIn } from '../../upgrade/unfinished.ts'
import { diskOf, UNFINISHED } from './disk.ts'
import { textAt } from './file-text.ts'
import type { Change } from './writing.ts'

interface Journal {
  readonly pid: number
  readonly changes: readonly Change[]
}

const fileOf = (root: string): string => join(root, '.data/unfinished-scaffold.json')

/** Claims the journal; throws when another command is writing. */
export function openJournal(root: string): void {
  refuseUnfinishedUpgrade(root)
  const file = fileOf(root)
  // The mode is for .data, which may be the first time that anybody needs it.
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 })
  try {
    // With the process from the beginning: an empty one would be taken for what somebody left who died.
    writeFileSync(file, textOf([]), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Exit(EXIT.locked, 'Another scaffold or destroy is writing just now: try again when it is done.')
  }
}

/** Says what is about to be changed, before it is. */
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
  /** Files that are as they were before. */
  readonly restored: readonly string[]
  /** Files that somebody changed since then, and that are left alone. */
  readonly left: readonly string[]
}

/** The process of a scaffold, destroy or upgrade that is writing just now; null without one. */
export function writerIn(root: string): number | null {
  const pid = upgraderIn(root) ?? readJournal(root)?.pid
  return pid !== undefined && pid !== process.pid && isAlive(pid) ? pid : null
}

/** Takes back what a command that died half-way had written; null when none did. Throws while another is writing. */
export function recover(root: string): Recovered | null {
  refuseUnfinishedUpgrade(root)
  if (!existsSync(fileOf(root))) return null
  const writer = writerIn(root)
  if (writer !== null)
    throw new Exit(
      EXIT.locked,
      `Another scaffold or destroy (process ${writer}) is writing just now: try again when it is done.`,
    )
  const changes = readJournal(root)?.changes ?? []
  const recovered = putBack(root, changes)
  closeJournal(root)
  return changes.length === 0 ? null : recovered
}

/** What was recovered, in sentences. */
export const recoveredInWords = ({ restored, left }: Recovered): string[] => [
  `An earlier command died half-way; what it had written is taken back: ${restored.join(', ') || 'nothing'}.`,
  ...left.map((path) => `${path} was changed since, and is left as it is.`),
]

/** Takes changes back, the last one first; those of files that somebody changed since stay as they are. */
export function putBack(root: string, changes: readonly Change[]): Recovered {
  const disk = diskOf(root)
  const [restored, left]: [string[], string[]] = [[], []]
  for (const { path, before, after } of changes.toReversed()) {
    const now = textAt(root, path)
    rmSync(contained(root, path) + UNFINISHED, { force: true })
    if (now === before) continue
    if (now !== after) {
      left.push(path)
      continue
    }
    restored.push(path)
    if (before === null) disk.remove(path)
    else disk.write(path, before)
  }
  return { restored, left }
}

/** Null without one, and for one that can't be read: it was never written, and then nothing else was. */
function readJournal(root: string): Journal | null {
  try {
    return JSON.parse(readFileSync(fileOf(root), 'utf8')) as Journal
  } catch {
    return null
  }
}
