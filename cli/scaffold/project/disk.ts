import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contained } from './contained.ts'

/** The one place where files of the project are written and removed. */
export interface Disk {
  write(path: string, text: string): void
  /** With the folders that are empty without it. */
  remove(path: string): void
}

/** Added to a file that is being written: who dies half-way leaves the real one whole. */
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

/** Removes a folder that nothing is left in, and those above it. */
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
