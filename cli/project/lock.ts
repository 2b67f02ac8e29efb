import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from 'pergola/tasks'
import { Exit, EXIT } from '../exit.ts'

const lockOf = (root: string): string => join(root, '.data/upgrade.lock')

/** Runs `work` while no other process upgrades this application; throws if one does. */
export async function whileLocked<Result>(
  root: string,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const file = lockOf(root)
  // The mode applies to .data if it does not exist yet.
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 })
  claim(file)
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function claim(file: string): void {
  if (written(file)) return
  const pid = Number(readFileSync(file, 'utf8'))
  if (pid > 0 && !isAlive(pid)) {
    rmSync(file, { force: true })
    if (written(file)) return
  }
  throw new Exit(
    EXIT.locked,
    `Another process (${pid}) is upgrading this application. Wait until it ends. If process ${pid} does not exist, delete ${file}.`,
  )
}

/** Creates the lock file. Returns false if it already exists. */
function written(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
