import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clone } from './application.ts'

interface Package {
  scripts: { start: string }
}

const { scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as Package

/** The options that `npm start` passes to Node, in the command for POSIX shells and in that for Windows. */
export const startOptions = [...new Set(scripts.start.split(' ').filter((word) => word.startsWith('--')))]
