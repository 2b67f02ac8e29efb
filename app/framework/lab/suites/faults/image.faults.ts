import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from 'pergola/lab'
import { describe, expect, it, onTestFinished } from 'vitest'
import { productionFolder } from '../production-folder.ts'
import { faultBed } from './fault-bed.ts'

const { settings } = await faultBed()
const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', '')
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)

const commandAfter = (words: RegExp) => JSON.parse(words.exec(dockerfile)?.[1] ?? '[]') as string[]
const [node = '', ...healthCheck] = commandAfter(/^HEALTHCHECK .* CMD (.*)$/m)

describe('the image', { timeout: 600_000 }, () => {
  it('contains the compiled code of its programs, and a health check for them', async () => {
    const folder = productionFolder()
    const cache = join(folder, 'node_modules/.cache')
    mkdirSync(cache)
    const [, compile = ''] = /^USER node\nRUN (.*)$/m.exec(dockerfile) ?? []
    execFileSync('sh', ['-c', compile], { cwd: folder, env: { PATH } })
    const built = filesIn(cache)
    expect(built.size).toBeGreaterThan(1_000)

    await run(folder, commandAfter(/^CMD (.*)$/m), 'Listening')
    expect(changedIn(cache, built)).toEqual([])
    await run(folder, ['node', 'cli/bin.js', 'worker'], 'the worker is waiting')
    expect(changedIn(cache, built)).toEqual([])
  })
})

/**
 * Runs a program until it prints `line` and passes the health check of the image, and ends it. It then writes the code to
 * the cache that was not in it.
 */
async function run(folder: string, [program = '', ...args]: string[], line: string): Promise<void> {
  const port = String(await freePort())
  const env = {
    PATH,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: port,
    WORKER__PORT: port,
    BASE_URL: 'https://example.org',
    ...settings,
    SERVER__LOG_LEVEL: 'info',
    SERVER__LINGER_SECONDS: '0',
  }
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  let output = ''
  for await (const chunk of child.stdout) {
    const isNew = !output.includes(line)
    output += String(chunk)
    if (!isNew || !output.includes(line)) continue
    execFileSync(node, healthCheck, { env })
    child.kill('SIGTERM')
  }
  expect([output, await exit]).toEqual([expect.stringContaining(line), [0, null]])
}

const changedIn = (folder: string, before: ReadonlyMap<string, number>) =>
  [...filesIn(folder)].filter(([path, time]) => before.get(path) !== time)

/** Returns the time of the last change of each file. */
const filesIn = (folder: string) =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => [path, statSync(path).mtimeMs]),
  )
