import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { anyFreePort } from '../port.ts'
import { findBrowser } from '../test/browser.ts'
import { expectCleanCode, expectDone } from '../test-support/expect-done.ts'
import { cloneOf, runIn } from '../test-support/run-in.ts'

// `npm run pergola -- test:scaffold`: gives a clone of the last commit tenants, and scaffolds resources that have them.
const root = join(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'tenant-matrix-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const COMMANDS = [
  'project name:string:unique summary:text? owner:references:user lead:references:user? --tenant account_id --version',
  'ticket title project:references parent:references:self?{null} --tenant account_id --soft-delete --cursor created_at',
  'label name --tenant account_id --id uuid',
]

describe('a clone with tenants', () => {
  const clone = join(scratch, 'clone')
  const { adminUrl, prefix } = inject('databases')
  const database = `${prefix}tenants`
  const run = (program: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
    runIn(clone, { program, args, env: { DATABASE_URL: databaseUrl(adminUrl, database), ...env } })
  const cli = (...args: string[]) => run('cli/bin.js', args)
  const tool = (file: string, ...args: string[]) => run(join('node_modules', file), args)

  beforeAll(async () => {
    await cloneOf(root, clone)
    await createDatabase(adminUrl, database)
    await cli('generate', 'tenant', 'account')
    await cli('db', 'prepare')
    await cli('routes', 'audit', '--write')
    for (const command of COMMANDS) await cli('scaffold', ...command.split(' '))
  }, 1_800_000)

  it('passes the formatter, the compiler and the linter', async () => {
    await expectCleanCode(tool)
  })

  it('has the types of the database, and an up-to-date manifest', async () => {
    await expectDone(cli('db', 'types', '--check'))
    await expectDone(cli('routes', 'audit', '--check'))
    await expectDone(cli('doctor'))
  })

  it('explains that a record belongs to another account', async () => {
    await cli('db', 'seed')
    await expect(cli('why', 'guest', 'show', 'Project', '1')).rejects.toThrow(
      /^Project 1 belongs to the tenant \d+, and a guest has none\. show is a 404, as for a missing record\./m,
    )
  })

  it('passes the tests of the application, and shows no data of another account', async () => {
    const folders = ['projects', 'tickets', 'labels', 'users', 'account', 'posts'].map(
      (name) => `app/${name}/`,
    )
    const files = ['tenants', 'probe', 'manifest'].map((name) => `app/test/${name}.test.ts`)
    await expectDone(tool('vitest/vitest.mjs', 'run', ...folders, ...files))
  })

  it('passes the browser tests', async () => {
    const env = { CHROMIUM_PATH: findBrowser(), E2E_PORT: String(await anyFreePort()) }
    const specs = ['/projects.spec.ts', '/tickets.spec.ts', '/labels.spec.ts']
    await expectDone(run('node_modules/@playwright/test/cli.js', ['test', '--config', 'e2e', ...specs], env))
  })

  it('rolls the migrations back, and runs them again', async () => {
    await expectDone(cli('db', 'rollback', '4'))
    await expectDone(cli('db', 'migrate'))
  })
})
