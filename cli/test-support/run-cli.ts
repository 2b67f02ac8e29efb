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
  /** The text for stdin. Without it, stdin is empty. */
  input?: string
  /** Arguments for Node, before the program. */
  node?: string[]
  bin?: string
}

const root = join(import.meta.dirname, '../..')

/** Runs the command line in a new process and waits until it exits. The process inherits only PATH and the compiled code. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const { env = {}, cwd = root, input, node = [], bin = join(root, 'cli/bin.js') } = options
  const child = spawn(process.execPath, [...node, bin, ...args], {
    cwd,
    env: { ...inherited(), NODE_ENV: 'test', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => (output[stream] += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })))
}

const inherited = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name === 'PATH' || name === 'NODE_COMPILE_CACHE'),
  )
