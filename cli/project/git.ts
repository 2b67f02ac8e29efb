import { spawnSync } from 'node:child_process'
import { Exit, EXIT } from '../exit.ts'

interface GitOptions {
  readonly cwd?: string
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  /** Returns whether an exit code means success. Defaults to 0 only. */
  readonly isDone?: (status: number) => boolean
}

/** Runs git and returns its stdout. Throws its stderr if it fails or is killed. */
export function git(args: readonly string[], options: GitOptions = {}): Buffer {
  const { cwd, input, env = {}, isDone = (status: number) => status === 0 } = options
  const { error, status, stdout, stderr } = spawnSync('git', args, {
    ...(cwd !== undefined && { cwd }),
    ...(input !== undefined && { input }),
    env: { ...ownEnvironment(), ...env },
    maxBuffer: 2 ** 30,
  })
  if (error !== undefined)
    throw new Exit(EXIT.failed, `git could not be started (${error.message}). Install git first.`)
  if (status === null || !isDone(status))
    throw new Error(`git ${args[0]} failed: ${stderr.toString().trim() || `exit code ${status}`}`)
  return stdout
}

export const gitText = (args: readonly string[], options?: GitOptions): string =>
  git(args, options).toString().trim()

/** Returns null if git fails. */
export function tryGit(args: readonly string[], options?: GitOptions): string | null {
  try {
    return gitText(args, options)
  } catch (error) {
    if (error instanceof Exit) throw error
    return null
  }
}

/** Returns null if git fails or is not installed. */
export function gitIfInstalled(args: readonly string[], options?: GitOptions): string | null {
  try {
    return gitText(args, options)
  } catch {
    return null
  }
}

/** Returns the problem of a git that is too old for an upgrade. `git version` prints `git version 2.39.5`. */
export function gitProblem(printed: string): string | null {
  const [, version = '0', major, minor] = /((\d+)\.(\d+)\S*)/.exec(printed) ?? []
  const isNew = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)
  return isNew ? null : `git ${version} is too old: an upgrade requires git 2.38 or newer.`
}

// Inside a git hook, GIT_DIR and similar variables point to another repository.
const ownEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: process.env['GIT_TERMINAL_PROMPT'] ?? '1',
})
