import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { anyFreePort } from '../port.ts'
import { environment } from '../test-support/run-in.ts'
import { findBrowser } from '../test/browser.ts'
import { root } from '../test/tools.ts'

// `npm run pergola -- test:scaffold cli/dev`: installs, starts and tests the last commit on machines that differ from this one.
const scratch = mkdtempSync(join(tmpdir(), 'machines-'))
// If root runs the tests, another user runs Postgres and must be able to enter the directory.
chmodSync(scratch, 0o711)
afterAll(() => rmSync(scratch, { recursive: true, maxRetries: 5 }))

/** The programs of this machine, without the packages of this clone and, if `without` names one, without that program. */
function programs(without?: string): string {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules') && existsSync(path))
  if (without === undefined) return folders.join(delimiter)
  const bin = join(scratch, `without-${without}`)
  mkdirSync(bin)
  for (const folder of folders.toReversed())
    for (const name of readdirSync(folder)) {
      rmSync(join(bin, name), { force: true })
      if (name !== without) symlinkSync(join(folder, name), join(bin, name))
    }
  return bin
}

const clone = (folder: string) =>
  execFileSync('git', ['-c', 'core.autocrlf=true', 'clone', '--quiet', root, folder])

function unpack(folder: string): void {
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
}

/** A package registry that nothing reaches. */
const OFFLINE = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' }

describe.each([
  { name: 'with the line ends of Windows', folder: 'Büro & Hilfe', create: clone, env: {} },
  {
    name: 'without install scripts',
    folder: 'quiet',
    create: clone,
    env: { npm_config_ignore_scripts: 'true' },
  },
  { name: 'without git, from an archive', folder: 'archive', create: unpack, env: { PATH: programs('git') } },
])('a machine $name', ({ folder, create, env }) => {
  const home = join(scratch, folder)
  const own = Object.entries(environment()).filter(([name]) => !/^(?:npm_|INIT_CWD$)/.test(name))
  const machine = { ...Object.fromEntries(own), CHROMIUM_PATH: findBrowser(), PATH: programs(), ...env }
  const npm = (args: string[], more: NodeJS.ProcessEnv = {}) => {
    const child = spawn('npm', args, {
      cwd: home,
      env: { ...machine, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill())
    return child
  }

  it('starts, and starts again without a network', async () => {
    create(home)
    for (const network of [{}, OFFLINE]) {
      const port = String(await anyFreePort())
      const child = npm(['run', 'dev'], { SERVER__PORT: port, ...network })
      const address = await printedAddress(child)
      const page = await fetch(address)
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<h1')])
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })

  it('passes its tests without a network', async () => {
    const child = npm(['test'], OFFLINE)
    const output = outputOf(child)
    const [code] = await once(child, 'exit')
    expect({ code, output: code === 0 ? '' : output() }).toEqual({ code: 0, output: '' })
  })
})

function outputOf(child: ChildProcess): () => string {
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => void chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

async function printedAddress(child: ChildProcess): Promise<string> {
  const output = outputOf(child)
  const address = () => / is at (http:\S+)/.exec(output())?.[1]
  await expect.poll(() => address() ?? child.exitCode, { timeout: 1_800_000 }).not.toBeNull()
  const printed = address()
  if (printed === undefined) throw new Error(output())
  return printed
}
