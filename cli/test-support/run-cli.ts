import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

interface CliOptions {
  env?: Record<string, string>
  cwd?: string
  /** What it can read; closed at once without. */
  input?: string
  /** Given to Node before the program. */
  node?: string[]
  bin?: string
}

const root = join(import.meta.dirname, '../..')

/** Runs the real command line in a process of its own, with nothing of this one's environment, and waits for its end. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const { env = {}, cwd = root, input, node = [], bin = join(root, 'cli/bin.js') } = options
  const child = spawn(process.execPath, [...node, bin, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => (said[stream] += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })))
}
