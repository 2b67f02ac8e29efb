import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anyFreePort } from './port.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'dev-'))
// If root runs the tests, another user runs Postgres and must be able to enter the directory.
chmodSync(dataDir, 0o711)
const children: ChildProcess[] = []

afterAll(async () => {
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.filter((child) => child.exitCode === null).map((child) => once(child, 'exit')))
  rmSync(dataDir, { recursive: true, maxRetries: 5 })
})

/** Runs `npm run dev` with its own database, and returns the address that it prints. */
async function dev(port: number): Promise<string> {
  const env = { ...process.env, NODE_ENV: 'development', SERVER__PORT: String(port), DATA_DIR: dataDir }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'dev.ts')], {
    env: { ...env, DATABASE_URL: '', BASE_URL: '', PORT: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const printed = Promise.withResolvers<string>()
  let output = ''
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString()
    const [, address] = / is at (http:\S+)/.exec(output) ?? []
    if (address !== undefined) printed.resolve(address)
  })
  child.once('exit', () => printed.reject(new Error(`The server did not start: ${output}`)))
  return printed.promise
}

/** Returns the process id of the development Postgres, or NaN while it restarts. */
function postgresPid(): number {
  const cluster = join(dataDir, 'postgres')
  const data = readdirSync(cluster).find((name) => name.startsWith('data-')) ?? ''
  const file = join(cluster, data, 'postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : Number.NaN
}

describe('npm run dev', () => {
  it('serves on a port of its own in each of four processes, also after Postgres was killed', async () => {
    const port = await anyFreePort()
    const addresses = await Promise.all([1, 2, 3, 4].map(() => dev(port)))
    expect(new Set(addresses).size).toBe(4)
    const statuses = () =>
      Promise.all(addresses.map(async (address) => (await fetch(`${address}/readyz`)).status))
    expect(await statuses()).toEqual([200, 200, 200, 200])

    const killed = postgresPid()
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => [Number.NaN, killed].includes(postgresPid())).toBe(false)
    await expect.poll(statuses).toEqual([200, 200, 200, 200])
  })
})
