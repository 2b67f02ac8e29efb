import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Walked {
  rows: number
  ms: number
  /** Milliseconds of processor time that the process itself took; others on the machine disturb it less. */
  cpu: number
  /** The largest heap after a batch, in bytes. */
  heap: number
}

interface Way {
  how: string
  size: number
  /** Megabytes; as many as Node takes, without. */
  heap?: number
}

/** Goes through the notes in a process of its own; throws when its heap is not enough. */
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
