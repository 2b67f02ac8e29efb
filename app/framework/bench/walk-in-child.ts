import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Walked {
  rows: number
  ms: number
  /** The CPU time of the process in milliseconds. Other processes on the machine affect it less than `ms`. */
  cpu: number
  /** The largest heap after a batch, in bytes. */
  heap: number
}

interface Way {
  how: string
  size: number
  /** The limit of the heap in megabytes; the default of Node if it is undefined. */
  heap?: number
}

/** Walks through the notes in a separate process. Throws if its heap is too small. */
export async function walkInChild(url: string, { how, size, heap }: Way): Promise<Walked> {
  const limit = heap === undefined ? [] : [`--max-old-space-size=${heap}`]
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...limit,
    join(import.meta.dirname, 'walk.ts'),
    url,
    how,
    String(size),
  ])
  return JSON.parse(stdout) as Walked
}
