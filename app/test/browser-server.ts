import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { emptyDatabase } from 'pergola/testing'

/**
 * Runs the real server and a worker for browser tests, on an own seeded database and a folder of mails, which are
 * removed afterwards.
 */
const { url, close } = await emptyDatabase()
const mails = mkdtempSync(join(tmpdir(), 'mails-'))
const env = {
  ...process.env,
  NODE_ENV: 'test',
  DATABASE_URL: url,
  SESSION__SECRET: 'a secret of the browser tests that is long enough',
  MAIL__URL: pathToFileURL(mails).href,
}
const run = (...args: string[]) => spawn(process.execPath, args, { stdio: 'inherit', env })

const server = run('app/server.ts')
const ended = once(server, 'exit') as Promise<[code: number | null]>
const running = [server]
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => running.forEach((child) => child.kill('SIGTERM')))

// The server migrates the database, which the worker needs.
while (server.exitCode === null && !(await isReady())) await sleep(100)
const worker = run('cli/bin.js', 'worker')
running.push(worker)
const [code] = await ended
if (worker.exitCode === null) {
  worker.kill('SIGTERM')
  await once(worker, 'exit')
}
await close()
rmSync(mails, { recursive: true })
process.exit(code ?? 1)

async function isReady(): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${process.env['PORT']}/readyz`).catch(() => null)
  return answer?.status === 200
}
