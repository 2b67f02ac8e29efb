import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface Walked {
  rows: number
  ms: number
  /** The largest heap after a batch, in bytes. */
  heap: number
}

/** Goes through the posts in a process with this heap, in megabytes; throws when it is not enough. */
export async function walkInChild(
  url: string,
  { how, size, heap }: { how: string; size: number; heap: number },
) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${heap}`,
    'app/bench/walk.ts',
    url,
    how,
    String(size),
  ])
  return JSON.parse(stdout) as Walked
}
