import { writeFileSync } from 'node:fs'
import { Exit, EXIT } from '../exit.ts'

/** Writes a file that isn't there yet, and says so. Throws, and touches nothing, where it is there. */
export function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Exit(EXIT.conflict, `${path} is there already. Nothing is written.`)
  }
  console.log(`create  ${path}`)
}
