import { rmSync } from 'node:fs'
import { Exit, EXIT } from '../exit.ts'
import { contained } from './contained.ts'
import { type Disk, diskOf, UNFINISHED } from './disk.ts'
import { sameText, textAt } from './file-text.ts'
import { takeLock } from './lock.ts'

/** The text of a file before and after a change; null if the file does not exist. */
export interface Change {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** A transaction of file changes. */
export interface Writing {
  /** Makes changes. If one fails, rolls back all of them and throws. */
  apply(changes: readonly Change[]): void
  /** Commits the changes, but keeps the lock. */
  commit(): void
  rollBack(): void
  /** Releases the lock, for which other commands and the development server wait. */
  close(): void
}

/** Begins to change files of the project, and locks out other commands. Ctrl-C and an exit roll all changes back. */
export function beginWriting(root: string, disk: Disk = diskOf(root)): Writing {
  const made: Change[] = []
  let isOpen = true
  const release = takeLock(root)
  const restore = () => {
    restoreFiles(root, made.splice(0))
    close()
  }
  const close = () => {
    // After the first call, the lock may belong to another command.
    if (isOpen) release()
    isOpen = false
    forgetEnds()
    process.off('exit', close)
  }
  const forgetEnds = () => {
    process.off('exit', restore)
    for (const signal of SIGNALS) process.off(signal, interrupted)
  }
  process.once('exit', restore)
  for (const signal of SIGNALS) process.once(signal, interrupted)
  return {
    apply(changes) {
      const real = changes.filter(({ before, after }) => !sameText(before, after))
      try {
        for (const change of real) checkUnchanged(root, change)
        for (const change of real) {
          made.push(change)
          if (change.after === null) disk.remove(change.path)
          else disk.write(change.path, change.after)
        }
      } catch (error) {
        restore()
        throw error
      }
    },
    commit() {
      forgetEnds()
      process.once('exit', close)
    },
    rollBack: restore,
    close,
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
// The handler of `exit` rolls back.
const interrupted = () => process.exit(EXIT.interrupted)

/**
 * Reverts changes, last one first. Does not restore files that another program has changed since then. Writes to the file
 * system, because a failure of another disk may be the reason for the rollback.
 */
function restoreFiles(root: string, changes: readonly Change[]): void {
  const disk = diskOf(root)
  for (const { path, before, after } of changes.toReversed()) {
    const current = textAt(root, path)
    rmSync(contained(root, path) + UNFINISHED, { force: true })
    if (current === before) continue
    if (current !== after) console.error(`${path} was changed by another program and was not restored.`)
    else if (before === null) disk.remove(path)
    else disk.write(path, before)
  }
}

/** Throws if a file was changed since the changes were planned. */
function checkUnchanged(root: string, { path, before }: Change): void {
  if (textAt(root, path) === before) return
  throw new Exit(EXIT.conflict, `${path} was changed by another program. Try again. No files were written.`)
}
