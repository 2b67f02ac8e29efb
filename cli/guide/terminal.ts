import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface Session {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs commands. Returns what they print. Rejects with it if one fails. */
export async function runShell(commands: string, session: Session): Promise<string> {
  const words = ['-e', '-c', `exec </dev/null 2>&1\n${commands}`]
  try {
    return (await promisify(execFile)('sh', words, { ...session, maxBuffer: 64 * 2 ** 20 })).stdout
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string }
    throw new Error(`These commands failed:\n${commands}\n${stdout}`, { cause: error })
  }
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
  session: Session,
  isReady: (output: string) => boolean | Promise<boolean>,
): Promise<StartedProcess> {
  // A process group, because npm doesn't pass every signal to its child.
  const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
    ...session,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    if (!hasEnded() && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  for (let seconds = 0; !(await isReady(output)); seconds++) {
    if (hasEnded() || seconds === 300) {
      await stop()
      throw new Error(`${command} ${seconds === 300 ? 'is not ready' : 'ended'}:\n${output}`)
    }
    await sleep(1_000)
  }
  return { output, stop }
}

/** Returns whether the server on this port is ready for requests. */
export const isServing = async (port: number): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true
