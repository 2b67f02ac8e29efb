import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a child ended; `lived` is in milliseconds, `errors` the end of what it wrote to stderr. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null; lived: number; errors: string }

export type Child = { readonly ended: Promise<Ending>; stop(): Promise<void> }

export type Command = { command: string; args: string[]; env: () => NodeJS.ProcessEnv }

const STOP_WITHIN = 3_000
const ERRORS_KEPT = 16_384

/**
 * Starts a process whose stderr is shown and its end kept. `stop` sends SIGTERM, after 3 seconds SIGKILL.
 * An IPC channel tells the child by 'disconnect' when this process dies, even of SIGKILL.
 */
export function startChild({ command, args, env }: Command): Child {
  const child = spawn(command, args, {
    env: env(),
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // A process group of its own: Ctrl-C in the terminal reaches this process alone, which then stops the child.
    detached: process.platform !== 'win32',
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)

  const started = performance.now()
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text)
    errors = (errors + text).slice(-ERRORS_KEPT)
  })

  const ended = ending().then(([code, signal]) => {
    process.off('exit', kill)
    return { code, signal, lived: performance.now() - started, errors }
  })

  async function ending(): Promise<[number | null, NodeJS.Signals | null]> {
    const closed = once(child, 'close').catch(() => undefined)
    try {
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
      // The last of stderr; not for ever, since a process that the child left behind may keep it open.
      await Promise.race([closed, sleep(200)])
      return [code, signal]
    } catch (error) {
      errors = `${command} could not be started: ${String(error)}`
      return [null, null]
    }
  }

  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    const timer = setTimeout(kill, STOP_WITHIN)
    await ended
    clearTimeout(timer)
  }

  return { ended, stop }
}
