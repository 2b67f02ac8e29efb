import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from './test-support/run-cli.ts'
import { callOf, commandsBelow } from './help.ts'
import { makeProgram } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'cli-'))
const bin = join(import.meta.dirname, 'bin.js')
afterAll(() => rmSync(folder, { recursive: true }))

/** The full name of every command, `db migrate`, except subcommands that only show help, and the hidden `complete`. */
const calls = commandsBelow(makeProgram())
  .map((command) => callOf(command).split(' ').slice(1))
  .filter((words) => (words.at(-1) !== 'help' || words.length === 1) && words[0] !== 'complete')
  .map((words) => [words] as const)

describe('an invalid command line', () => {
  it.each<[string, says: string]>([
    ['dbb', "unknown command 'dbb'\n(Did you mean db?)\nSee npx cli --help."],
    ['db migrat', "unknown command 'migrat'\n(Did you mean migrate?)\nSee npx cli db --help."],
    ['db migrat --help', '(Did you mean migrate?)'],
    ['help db migrat', '(Did you mean migrate?)'],
    ['db help migrat', '(Did you mean migrate?)'],
    ['g migrations x', '(Did you mean migration?)'],
    ['routes audits', '(Did you mean audit?)'],
    ['xyzzy', "unknown command 'xyzzy'\nSee npx cli --help."],
    ['--jsn', "unknown option '--jsn'"],
    ['db status --jsn', "unknown option '--jsn'\n(Did you mean --json?)"],
    ['db rollback no', 'Expected a whole number'],
    ['db rollback 0', 'Expected a whole number'],
    ['db rollback 1 2', 'too many arguments'],
    ['db reset --confirm', 'argument missing'],
    ['generate migration', "missing required argument 'name'"],
    ['completion', "missing required argument 'shell'"],
    ['completion tcsh', 'Allowed choices are zsh, bash, fish, powershell.'],
    ['db', 'Usage: cli db'],
  ])('exits with 2 and a suggestion on stderr: %s', async (line, message) => {
    const { code, stdout, stderr } = await runCli(line.split(' '))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })
})

describe('cli without arguments', () => {
  it('prints a short help with examples', async () => {
    const { code, stdout, stderr } = await runCli([])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('npx cli scaffold post')
    expect(stdout.trim().split('\n').length).toBeLessThan(12)
  })
})

/** A module that ends the process if it opens a socket, or loads a file that is not necessary for help. */
const guard = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { Socket, Server } from 'node:net'
  const refuse = (what) => { process.stderr.write('REFUSED ' + what); process.exit(99) }
  Socket.prototype.connect = () => refuse('a socket')
  Server.prototype.listen = () => refuse('a server')
  const allowed = /^node:|\\/cli\\/|\\/node_modules\\/(?:commander|@bomb\\.sh\\/tab)\\//
  registerHooks({
    load(url, context, next) {
      if (!allowed.test(url) && !url.startsWith('data:')) refuse(url)
      return next(url, context)
    },
  })`)}`

describe('help', () => {
  it.each(calls)('of %o loads only declarations, opens no socket, and has an example', async (words) => {
    const { code, stdout, stderr } = await runCli([...words, '--help'], { node: ['--import', guard] })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`Usage: ${['cli', ...words].join(' ')}`)
    expect(stdout).toMatch(/\nExamples?:\n {2}(?:npx )?cli /)
  })

  it.each(['help db migrate', 'db help migrate', 'db migrate -h'])('is printed by %s too', async (line) => {
    const result = await runCli(line.split(' '), { node: ['--import', guard] })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('Usage: cli db migrate [options]')
  })

  it('is guarded: the guard reports a load of the application', async () => {
    const { code, stderr } = await runCli(['db', 'status'], { node: ['--import', guard] })
    expect([code, stderr]).toEqual([99, expect.stringMatching(/^REFUSED .*\/app\//)])
  })
})

describe('the environment', () => {
  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }, {}])('prints no colours into a pipe: %j', async (env) => {
    for (const word of ['--help', 'xyzzy', 'routes']) {
      const { stdout, stderr } = await runCli([word], { env })
      expect(stdout + stderr).not.toContain('\u001B')
    }
  })

  it.each([['routes'], ['--help'], ['xyzzy']])(
    'prints no error if the output of %s is closed',
    async (word) => {
      const child = spawn(process.execPath, [bin, word], {
        env: { NODE_ENV: 'test' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      // Closes the pipe before the command prints.
      child.stdout.destroy()
      const stderr = text(child.stderr)
      const [code] = (await once(child, 'exit')) as [number]
      expect([code, (await stderr).includes('EPIPE')]).toEqual([word === 'xyzzy' ? 2 : 0, false])
    },
  )

  it('reports a folder that is not a project', async () => {
    const copy = join(folder, 'bin.js')
    copyFileSync(bin, copy)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const { code, stdout, stderr } = await runCli(['db', 'status'], { bin: copy, cwd: folder })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe('This is not a Pergola project. Run `npx cli` in a folder of your clone.\n')
  })

  it.each([
    ['caches compiled code for the next command', 'folder', true],
    ['caches nothing in the packages of another clone', 'symlink', false],
  ])('%s', async (_behaviour, packages, isKept) => {
    const clone = mkdtempSync(join(folder, 'clone-'))
    for (const name of ['app', 'cli', 'packages/commander']) mkdirSync(join(clone, name), { recursive: true })
    for (const name of ['bin.js', 'check-node.js'])
      copyFileSync(join(import.meta.dirname, name), join(clone, 'cli', name))
    for (const name of ['app/app.ts', 'cli/main.ts']) writeFileSync(join(clone, name), '')
    for (const name of ['', 'packages/commander'])
      writeFileSync(join(clone, name, 'package.json'), '{ "type": "module" }')
    if (packages === 'folder') renameSync(join(clone, 'packages'), join(clone, 'node_modules'))
    else symlinkSync(join(clone, 'packages'), join(clone, 'node_modules'), 'junction')
    const env = { NODE_COMPILE_CACHE: '' }
    expect(await runCli([], { bin: join(clone, 'cli/bin.js'), cwd: clone, env })).toMatchObject({ code: 0 })
    expect(existsSync(join(clone, 'node_modules/.cache/compiled'))).toBe(isKept)
  })

  it('does not wait for input without a terminal', async () => {
    const env = { DATABASE_URL: 'postgres://somebody@db.example.invalid/important' }
    const { code, stderr } = await runCli(['db', 'reset'], { env })
    expect([code, stderr]).toEqual([
      4,
      'Input is required, but there is no terminal. Confirm with: npx cli db reset --confirm important\n',
    ])
  })

  it('reports a failed connection in one line', async () => {
    const env = { DATABASE_URL: 'postgres://somebody:secret@localhost:1/important' }
    const { code, stderr } = await runCli(['db', 'status'], { env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Could not connect to the database. Start it, or correct'),
    ])
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).not.toContain('secret')
  })
})
