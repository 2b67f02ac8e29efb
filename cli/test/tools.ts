import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

// The command line tools, and the packages that they come with.
const packages = {
  prettier: 'prettier',
  oxlint: 'oxlint',
  tsc: 'typescript',
  vitest: 'vitest',
  playwright: '@playwright/test',
}
export type Tool = keyof typeof packages

/** The script that a tool is. Started by name it would run on the system's Node, which may be too old. */
export function scriptOf(tool: Tool): string {
  const folder = join(root, 'node_modules', packages[tool])
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  return join(folder, typeof bin === 'string' ? bin : (bin[tool] ?? ''))
}

/** The environment of the tools; what they start by name finds this project's Node first. */
export function toolEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  return { ...process.env, NODE_ENV: 'test', PATH: path, ...more }
}

/**
 * Runs a tool in sight. Resolves with its exit code: 1 if it could not be started or was ended by a signal.
 * When `signal` is aborted the tool gets SIGINT, once, and is waited for: it has processes of its own to end.
 */
export function runTool(tool: Tool, args: string[], { env, signal }: RunOptions): Promise<number> {
  const child = spawn(process.execPath, [scriptOf(tool), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: toolEnv(env),
    // A process group of its own, which Ctrl-C in the terminal does not reach: a second SIGINT would cut it short.
    detached: process.platform !== 'win32',
  })
  const interrupt = () => child.kill('SIGINT')
  signal.addEventListener('abort', interrupt)
  return new Promise<number>((resolve) => {
    child.on('error', () => resolve(1))
    child.on('close', (code) => resolve(code ?? 1))
  }).finally(() => signal.removeEventListener('abort', interrupt))
}

type RunOptions = { env?: NodeJS.ProcessEnv; signal: AbortSignal }
