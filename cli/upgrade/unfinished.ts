import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Exit, EXIT } from '../exit.ts'

export const UPGRADE_FOLDER = '.data/upgrade'

export const journalOf = (root: string): string => join(root, UPGRADE_FOLDER, 'journal.json')

/** The process that is upgrading this application, or did when it was interrupted; null without an unfinished upgrade. */
export function upgraderIn(root: string): number | null {
  if (!existsSync(journalOf(root))) return null
  return (JSON.parse(readFileSync(journalOf(root), 'utf8')) as { pid: number }).pid
}

/** Throws if an upgrade was interrupted: half of the files may be of another version. */
export function refuseUnfinishedUpgrade(root: string): void {
  if (upgraderIn(root) === null) return
  const command = `npx cli upgrade${root === process.cwd() ? '' : ` --app ${root}`}`
  throw new Exit(
    EXIT.locked,
    `An upgrade is not finished. \`${command} --resume\` finishes it, \`${command} --roll-back\` restores the files.`,
  )
}
