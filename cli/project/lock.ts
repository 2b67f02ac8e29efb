import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from 'pergola/tasks'
import { Exit, EXIT } from '../exit.ts'

const fileOf = (root: string): string => join(root, '.data/writing.lock')

/** Runs `work` while no other command writes files of this application; throws if one does. */
export async function whileLocked<Result>(
  root: string,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const release = takeLock(root)
  try {
    return await work()
  } finally {
    release()
  }
}

/** Takes the lock for which other commands and the development server wait. Returns a function that releases it. */
export function takeLock(root: string): () => void {
  const file = fileOf(root)
  // The mode applies to .data if it does not exist yet.
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 })
  claim(root, file)
  return () => rmSync(file, { force: true })
}

/** Returns the id of another process that writes files of this application; null if none does. */
export function writerIn(root: string): number | null {
  const pid = ownerOf(fileOf(root))
  return pid > 0 && pid !== process.pid && isAlive(pid) ? pid : null
}

function claim(root: string, file: string): void {
  if (isCreated(file)) return
  const pid = ownerOf(file)
  if (pid > 0 && !isAlive(pid)) {
    rmSync(file, { force: true })
    if (isCreated(file)) {
      console.error(
        `An earlier command was killed while it wrote files in ${root}. Check them with \`git status\`.`,
      )
      return
    }
  }
  throw new Exit(
    EXIT.locked,
    `Another process (${pid}) is writing files of this application. Try again when it has ended. If process ${pid} does not exist, delete ${file}.`,
  )
}

/** Returns the process id in the lock file; 0 if the file does not exist or is not written yet. */
function ownerOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

/** Creates the lock file. Returns false if it already exists. */
function isCreated(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
