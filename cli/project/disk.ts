import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contained } from './contained.ts'

/** Writes and removes files of the project. */
export interface Disk {
  write(path: string, text: string): void
  /** Removes a file and the folders that become empty. */
  remove(path: string): void
}

/** The suffix of a file until it is completely written, so that a crash leaves the real file intact. */
export const UNFINISHED = '.unfinished'

export function diskOf(root: string): Disk {
  return {
    write(path, text) {
      const file = contained(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file + UNFINISHED, text)
      renameSync(file + UNFINISHED, file)
    },
    remove(path) {
      const file = contained(root, path)
      rmSync(file, { force: true })
      rmSync(file + UNFINISHED, { force: true })
      prune(root, dirname(path))
    },
  }
}

/** Removes an empty folder and the empty folders above it. */
function prune(root: string, folder: string): void {
  if (folder === '.') return
  try {
    if (readdirSync(join(root, folder)).length > 0) return
    rmdirSync(join(root, folder))
  } catch {
    return
  }
  prune(root, dirname(folder))
}
