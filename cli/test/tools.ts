import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(import.meta.dirname, '../..')

// The command line tools and their packages.
const packages = {
  prettier: 'prettier',
  oxlint: 'oxlint',
  tsc: 'typescript',
  vitest: 'vitest',
  playwright: '@playwright/test',
}
export type Tool = keyof typeof packages

/** Returns the path of a tool's script. It must run with this Node, and a start by name would use the system's Node. */
export function scriptOf(tool: Tool): string {
  const path = fileURLToPath(import.meta.resolve(`${packages[tool]}/package.json`))
  const { bin } = JSON.parse(readFileSync(path, 'utf8')) as { bin: string | Record<string, string> }
  return join(dirname(path), typeof bin === 'string' ? bin : (bin[tool] ?? ''))
}

/** Returns the environment of the tools, with this project's Node first on the PATH. */
export function toolEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  return { ...process.env, NODE_ENV: 'test', PATH: path, ...more }
}

/**
 * Runs a tool with inherited output. Resolves with its exit code, or 1 if it could not be started or was killed.
 * When `signal` aborts, sends SIGINT once and waits, so that the tool can stop its own processes.
 */
export function runTool(tool: Tool, args: string[], { env, signal }: RunOptions): Promise<number> {
  const child = spawn(process.execPath, [scriptOf(tool), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: toolEnv(env),
    // A new process group, so that Ctrl-C doesn't send a second SIGINT, which would kill the tool.
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
