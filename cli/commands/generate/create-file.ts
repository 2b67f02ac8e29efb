import { writeFileSync } from 'node:fs'
import { Exit, EXIT } from '../../exit.ts'

/** Creates a file and prints its path. Throws, without changing it, if the file exists. */
export function createFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Exit(EXIT.conflict, `${path} already exists. No files were written.`)
  }
  console.log(`create  ${path}`)
}
