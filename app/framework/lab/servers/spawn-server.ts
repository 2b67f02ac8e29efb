import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** A server in a process of its own. */
export interface SpawnedServer {
  readonly server: ChildProcess
  /** The address that it printed, with 127.0.0.1 in place of localhost and its subdomains. */
  readonly url: string
  /** Returns its stdout so far. */
  readonly output: () => string
}

/**
 * Runs a server in a process of its own, with `PATH` and these variables. It is killed when the test finishes, or by
 * `atEnd`. Resolves when it prints its address. Rejects with its output if it ends before.
 *
 * ```ts
 * const { server, url } = await spawnServer('app/server.ts', { PORT: '0', DATABASE_URL: database.url })
 * ```
 */
export async function spawnServer(
  script: string,
  env: Record<string, string>,
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<SpawnedServer> {
  const ownEnv = { PATH: process.env['PATH'], ...env }
  const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'], env: ownEnv })
  atEnd(() => void server.kill('SIGKILL'))
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, port] = /http:\/\/(?:(?:[\w-]+\.)*localhost|127\.0\.0\.1):(\d+)/.exec(output) ?? []
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    server.stderr.pipe(process.stderr)
    server.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()))
    server.once('close', () => reject(new Error(`The server ended before it listened: ${output}`)))
  })
  return { server, url, output: () => output }
}
