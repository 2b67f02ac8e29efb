import { Exit, EXIT } from '../../exit.ts'
import { type Disk, diskOf } from './disk.ts'
import { closeJournal, openJournal, putBack, writeJournal } from './journal.ts'
import { sameText, textAt } from './file-text.ts'

/** A file before and after; null where there is none. */
export interface Change {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** Changes that are all there in the end, or none of them. */
export interface Writing {
  /** Makes these changes too. Throws what failed, after it has taken all of them back. */
  apply(changes: readonly Change[]): void
  /** From here on they stay, also when the process ends; nobody else writes yet. */
  keep(): void
  takeBack(): void
  /** They stay, and whoever waited goes on: other commands, and the server of development. */
  close(): void
}

/**
 * Begins to change files of the project. A journal says what they were: whoever is interrupted takes it back at once, and
 * after a sudden death the next command does, with `recover`.
 */
export function beginWriting(root: string, disk: Disk = diskOf(root)): Writing {
  const made: Change[] = []
  let isOpen = true
  openJournal(root)
  const restore = () => {
    // Past the disk that was given: what failed to write may fail again.
    for (const path of putBack(root, made.splice(0)).left)
      console.error(`${path} was changed since, and is left as it is.`)
    close()
  }
  const close = () => {
    // Once it is closed, the journal is another command's.
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
    keep() {
      writeJournal(root, [])
      forgetEnds()
      process.once('exit', close)
    },
    takeBack: restore,
    close,
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
// Ends in `exit`, where what was written is taken back.
const interrupted = () => process.exit(EXIT.interrupted)

/** What was planned was planned for what was there: somebody may have saved the file since, or another command. */
function checkUnchanged(root: string, { path, before }: Change): void {
  if (textAt(root, path) === before) return
  throw new Exit(EXIT.conflict, `${path} was changed meanwhile: try again. Nothing is written.`)
}
