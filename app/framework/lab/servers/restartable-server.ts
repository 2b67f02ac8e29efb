import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { megabytesOf } from './process-facts.ts'

/** A server in a process of its own that can be ended and started again at the same address. */
export interface RestartableServer {
  /** `http://127.0.0.1:` with its port. */
  readonly url: string
  /** Starts the process, and resolves when it listens. Rejects with its output if it ends before. */
  start: () => Promise<void>
  /** Ends the process with a signal, and waits for its end. */
  end: (signal: NodeJS.Signals) => Promise<void>
  /** Returns whether the process runs: false if it crashed. */
  isRunning: () => boolean
  /** The resident memory of the process in megabytes. */
  megabytes: () => number
  /** The end of the output of all its processes. */
  output: () => string
}

/**
 * Starts a server in production mode on a free port of 127.0.0.1, with only `PATH` and `env` as its environment, and
 * kills it when the test ends that started it, or else the test file. `BASE_URL` is its address with https, so that its cookies and headers are those of
 * production. With a file as `stdout`, only errors are in `output`.
 *
 * ```ts
 * const server = await restartableServer(['app/server.ts'], { DATABASE_URL: url, SESSION__SECRET: secret })
 * await server.end('SIGKILL')
 * await server.start()
 * ```
 */
export async function restartableServer(
  args: readonly string[],
  env: Record<string, string>,
  { stdout }: { stdout?: string } = {},
): Promise<RestartableServer> {
  const port = await freePort()
  let current: ChildProcess | undefined
  let output = ''
  const isRunning = () => current?.exitCode === null && current.signalCode === null
  const server: RestartableServer = {
    url: `http://127.0.0.1:${port}`,
    isRunning,
    megabytes: () => megabytesOf(current?.pid ?? 0),
    output: () => output,
    async start() {
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', stdout === undefined ? 'pipe' : openSync(stdout, 'a'), 'pipe'],
        env: {
          PATH: process.env['PATH'],
          NODE_ENV: 'production',
          HOST: '127.0.0.1',
          PORT: String(port),
          BASE_URL: `https://127.0.0.1:${port}`,
          ...env,
        },
      })
      current = child
      await new Promise<void>((resolve, reject) => {
        for (const stream of [child.stdout, child.stderr])
          stream?.on('data', (chunk: Buffer) => {
            output = (output + chunk.toString()).slice(-50_000)
            if (chunk.includes('Listening')) resolve()
          })
        if (stdout !== undefined) void untilItAnswers(server.url, child).then(resolve)
        child.once('close', () => reject(new Error(`The server ended before it listened: ${output}`)))
      })
    },
    async end(signal) {
      if (current === undefined || !isRunning()) return
      const exit = once(current, 'exit')
      current.kill(signal)
      await exit
    },
  }
  const kill = () => current?.kill('SIGKILL')
  process.once('exit', kill)
  const isInTest = expect.getState().currentTestName !== undefined
  const atEnd = isInTest ? onTestFinished : afterAll
  atEnd(async () => {
    process.off('exit', kill)
    await server.end('SIGKILL')
  })
  await server.start()
  return server
}

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (await fetch(`${url}/livez`).catch(() => null)) return
    await sleep(50)
  }
}
