import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Session {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

// Prints the folder and the environment after the commands to a pipe of their own.
const AFTER = '\n{ pwd; env -0; } >&3\n'

/** Runs commands. Returns their output, and the folder and the environment after them. Rejects with the output if one fails. */
export function runShell(commands: string, { cwd, env }: Session): Promise<Session & { output: string }> {
  const child = spawn('sh', ['-e', '-c', commands + AFTER], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const printed = { output: '', after: '' }
  const [, stdout, stderr, after] = child.stdio
  for (const stream of [stdout, stderr]) stream?.on('data', (chunk) => (printed.output += String(chunk)))
  after?.on('data', (chunk) => (printed.after += String(chunk)))
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      const { output } = printed
      if (code !== 0) return reject(new Error(`Exit code ${code} of:\n${commands}\n${output}`))
      const [folder = cwd] = printed.after.split('\n', 1)
      const variables = printed.after
        .slice(folder.length + 1)
        .split('\0')
        .filter(Boolean)
      const next = Object.fromEntries(
        variables.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
      )
      resolve({ output, cwd: folder, env: next })
    })
  })
}

export interface StartedProcess {
  /** The output until the process was ready. */
  readonly output: string
  stop(): Promise<void>
}

/**
 * Starts a command that runs until `stop`. Resolves when `isReady` returns true for its output so far. Rejects with the output
 * if the command ends before, or isn't ready after a minute.
 */
export async function startProcess(
  command: string,
  { cwd, env }: Session,
  isReady: (output: string) => Promise<boolean>,
): Promise<StartedProcess> {
  // A process group, because npm doesn't pass every signal to its child.
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    if (!hasEnded() && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  for (let seconds = 0; !(await isReady(output)); seconds++) {
    if (hasEnded() || seconds === 60) {
      await stop()
      throw new Error(`${command} ${seconds === 60 ? 'is not ready' : 'ended'}:\n${output}`)
    }
    await sleep(1_000)
  }
  return { output, stop }
}
