import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Exit, EXIT } from '../exit.ts'

export const UPGRADE_FOLDER = '.data/upgrade'

export const journalOf = (root: string): string => join(root, UPGRADE_FOLDER, 'journal.json')

/** Returns the id of the process of an unfinished upgrade, which may have ended; null if no upgrade is unfinished. */
export function upgraderIn(root: string): number | null {
  if (!existsSync(journalOf(root))) return null
  return (JSON.parse(readFileSync(journalOf(root), 'utf8')) as { pid: number }).pid
}

/** Throws if an upgrade is unfinished, because some files may belong to another version. */
export function refuseUnfinishedUpgrade(root: string): void {
  if (upgraderIn(root) === null) return
  const command = `npx cli upgrade${root === process.cwd() ? '' : ` --app ${root}`}`
  throw new Exit(
    EXIT.locked,
    `An upgrade is not finished. Finish it with \`${command} --resume\`, or restore the previous files with \`${command} --roll-back\`.`,
  )
}
