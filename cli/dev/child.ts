import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a child process ended. `uptime` is in milliseconds, `errors` is the end of its stderr. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null; uptime: number; errors: string }

export type Child = {
  /** Resolves to the port of the server, when it sends a message with it: `process.send({ port })`. */
  readonly listening: Promise<number>
  readonly ended: Promise<Ending>
  stop(): Promise<void>
}

export type Command = { command: string; args: string[]; env: () => NodeJS.ProcessEnv }

const STOP_WITHIN = 3_000
const ERRORS_KEPT = 16_384

/** Starts a process. When this process ends, even by SIGKILL, the IPC channel emits 'disconnect' in the child. */
export const spawnChild = ({ command, args, env }: Command): ChildProcess =>
  spawn(command, args, {
    env: env(),
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // Its own process group, so that Ctrl-C reaches only this process, which then stops the child.
    detached: process.platform !== 'win32',
  })

/** Starts a process, and observes it. */
export const startChild = (command: Command): Child => observeChild(spawnChild(command), command)

/**
 * Prints the stderr of a process and records the end of it. `stop` sends SIGTERM, and SIGKILL after 3 seconds. On Windows,
 * `stop` disconnects the IPC channel, because SIGTERM kills there.
 */
export function observeChild(child: ChildProcess, { command }: Pick<Command, 'command'>): Child {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)

  const started = performance.now()
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text)
    errors = (errors + text).slice(-ERRORS_KEPT)
  })

  const listening = new Promise<number>((resolve) => {
    child.on('message', (message: { port?: number }) => message.port !== undefined && resolve(message.port))
  })
  const ended = ending().then(([code, signal]) => {
    process.off('exit', kill)
    return { code, signal, uptime: performance.now() - started, errors }
  })

  async function ending(): Promise<[number | null, NodeJS.Signals | null]> {
    const closed = once(child, 'close').catch(() => undefined)
    try {
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
      // Wait for the rest of stderr, but only briefly: a grandchild process may keep it open.
      await Promise.race([closed, sleep(200)])
      return [code, signal]
    } catch (error) {
      errors = `${command} could not be started: ${String(error)}`
      return [null, null]
    }
  }

  async function stop(): Promise<void> {
    if (process.platform === 'win32' && child.connected) child.disconnect()
    else child.kill('SIGTERM')
    const timer = setTimeout(kill, STOP_WITHIN)
    await ended
    clearTimeout(timer)
  }

  return { listening, ended, stop }
}
