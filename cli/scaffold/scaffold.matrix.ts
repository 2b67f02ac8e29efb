import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { catalogOf } from '../test-support/catalog.ts'
import { expectCleanCode, expectDone } from '../test-support/expect-done.ts'
import { cloneOf, environment, runIn } from '../test-support/run-in.ts'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { anyFreePort } from '../port.ts'
import { findBrowser } from '../test/browser.ts'
import { MATRIX } from '../test-support/matrix-rows.ts'
import { namesOf } from './read/names.ts'

// `npm run pergola -- test:scaffold`: models with edge cases, in clones of the last commit. `ROW=uuids` runs the rows with this name.
const root = join(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'scaffold-matrix-'))
// Each group creates a clone, its packages and a database.
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const only = process.env['ROW']
const rows = MATRIX.filter(({ name }) => only === undefined || name.includes(only))

/** Most of the time is that of the checks of a whole project, so that several rows share a clone. */
const ROWS_OF_A_CLONE = 7
const groups = Array.from({ length: Math.ceil(rows.length / ROWS_OF_A_CLONE) }, (_, index) => {
  const group = rows.slice(index * ROWS_OF_A_CLONE, (index + 1) * ROWS_OF_A_CLONE)
  return {
    index,
    name: group.map(({ name }) => name).join('; '),
    commands: group.flatMap((row) => row.commands),
  }
})

describe.each(groups)('$name', ({ index, commands }) => {
  const clone = join(scratch, `clone-${index}`)
  const database = `${inject('databases').prefix}matrix_${index}`
  const url = databaseUrl(inject('databases').adminUrl, database)
  const models = commands.map((command) => command.split(' '))
  const pluralOf = (words: string[]) =>
    words.includes('--plural') ? words[words.indexOf('--plural') + 1] : undefined
  const names = models.map((words) => {
    const plural = pluralOf(words)
    return namesOf(words[0] ?? '', plural === undefined ? {} : { plural })
  })

  const run = (program: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
    runIn(clone, { program, args, env })
  const cli = (...args: string[]) => run('cli/bin.js', args, { DATABASE_URL: url })
  const tool = (file: string, ...args: string[]) => run(join('node_modules', file), args)
  const gitStatus = () => runIn(clone, { program: 'git', args: ['status', '--porcelain'] })

  const before: { catalog: string[] } = { catalog: [] }
  const after: { catalog: string[] } = { catalog: [] }

  beforeAll(async () => {
    await cloneOf(root, clone)
    await createDatabase(inject('databases').adminUrl, database)
    await cli('db', 'migrate')
    await cli('db', 'seed')
    before.catalog = await catalogOf(url)
  })

  it('writes the files that it reports, and writes nothing the second time', async () => {
    for (const words of models) {
      const unwritten = await gitStatus()
      const dry = await cli('scaffold', ...words, '--dry-run', '--json')
      expect(await gitStatus()).toBe(unwritten)
      const made = await cli('scaffold', ...words, '--json')
      expect(pathsOf(made)).toEqual(pathsOf(dry))
      const again = await cli('scaffold', ...words)
      expect(again).not.toMatch(/^\s*(?:create|change)/m)
    }
    after.catalog = await catalogOf(url)
    expect(after.catalog).not.toEqual(before.catalog)
  })

  it('passes the formatter, the linter and the compiler', async () => {
    await expectCleanCode(tool)
  })

  it('has the types of the database, and no unguarded route', async () => {
    await expectDone(cli('db', 'types', '--check'))
    await expectDone(cli('routes', 'audit', '--check'))
  })

  it('starts with plain Node and serves the list or the sign-in page', async () => {
    const port = String(await anyFreePort())
    const server = spawn(process.execPath, ['app/server.ts'], {
      cwd: clone,
      env: { ...environment(), NODE_ENV: 'development', DATABASE_URL: url, PORT: port },
    })
    try {
      await expect.poll(() => statusOf(`http://127.0.0.1:${port}/readyz`)).toBe(200)
      const own = names.filter((_name, at) => models[at]?.includes('--in') === false)
      for (const { folder } of own)
        expect([200, 303]).toContain(await statusOf(`http://127.0.0.1:${port}/${folder}`))
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  })

  it('passes the generated tests, and the tests of all resources', async () => {
    const folders = names.map(({ folder }) => `app/${folder}/`)
    await expectDone(
      tool('vitest/vitest.mjs', 'run', ...folders, 'app/test/probe.test.ts', 'app/test/manifest.test.ts'),
    )
  })

  it('passes its browser tests', async () => {
    const files = names.map(({ folder }) => `/${folder}.spec.ts`)
    const env = { CHROMIUM_PATH: findBrowser(), E2E_PORT: String(await anyFreePort()) }
    const words = ['test', '--config', 'e2e', ...files]
    await expectDone(run('node_modules/@playwright/test/cli.js', words, env))
  })

  it('drops and creates the tables with the migrations', async () => {
    await expectDone(cli('db', 'rollback', String(models.length)))
    expect(await catalogOf(url)).toEqual(before.catalog)
    await expectDone(cli('db', 'migrate'))
    expect(await catalogOf(url)).toEqual(after.catalog)
  })

  it('restores all files and the database with destroy', async () => {
    for (const words of models.toReversed()) await cli('destroy', words[0] ?? '', '--force')
    expect(await gitStatus()).toBe('')
    expect(names.filter(({ folder }) => existsSync(join(clone, 'app', folder)))).toEqual([])
    expect(await catalogOf(url)).toEqual(before.catalog)
  })
})

const pathsOf = (json: string) =>
  (JSON.parse(json) as { files: { path: string }[] }).files.map(({ path }) => path.replace(/\d{14}/, ''))

async function statusOf(url: string): Promise<number | null> {
  try {
    return (await fetch(url, { redirect: 'manual' })).status
  } catch {
    return null
  }
}
