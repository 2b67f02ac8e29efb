import { Exit, EXIT } from '../exit.ts'
import { type Disk, diskOf } from './disk.ts'
import { closeJournal, openJournal, restoreFiles, writeJournal } from './journal.ts'
import { sameText, textAt } from './file-text.ts'

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

/**
 * Begins to change files of the project. A journal stores their previous texts. An interrupted process rolls back
 * immediately. After a kill, the next command rolls back with `recover`.
 */
export function beginWriting(root: string, disk: Disk = diskOf(root)): Writing {
  const made: Change[] = []
  let isOpen = true
  openJournal(root)
  const restore = () => {
    // `restoreFiles` does not use the given disk, whose failure may be the reason for the rollback.
    for (const path of restoreFiles(root, made.splice(0)).skipped)
      console.error(`${path} was changed by another program and was not restored.`)
    close()
  }
  const close = () => {
    // After the first call, the journal may belong to another command.
    if (isOpen) closeJournal(root)
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
        writeJournal(root, [...made, ...real])
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
      writeJournal(root, [])
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

/** Throws if a file was changed since the changes were planned. */
function checkUnchanged(root: string, { path, before }: Change): void {
  if (textAt(root, path) === before) return
  throw new Exit(EXIT.conflict, `${path} was changed by another program. Try again. No files were written.`)
}
