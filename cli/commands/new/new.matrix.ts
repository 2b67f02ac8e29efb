import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { anyFreePort } from '../../port.ts'
import { expectDone } from '../../test-support/expect-done.ts'
import { runIn } from '../../test-support/run-in.ts'
import { findBrowser } from '../../test/browser.ts'
import { root } from '../../test/tools.ts'

// `npm run pergola -- test:scaffold cli/commands/new`: creates applications from the last commit, and runs their checks and tests.
const scratch = mkdtempSync(join(tmpdir(), 'new-matrix-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe.each([
  ['with the sample', []],
  ['without the sample', ['--without-sample']],
])('an application in a folder of its own, %s', (name, options) => {
  const folder = join(scratch, name.replaceAll(' ', '-'))
  const { adminUrl, prefix } = inject('databases')
  const database = `${prefix}new_${options.length}`
  const env = { DATABASE_URL: databaseUrl(adminUrl, database) }
  const run = (program: string, ...args: string[]) => runIn(folder, { program, args, env })
  const tool = (file: string, ...args: string[]) => run(join('node_modules', file), ...args)

  beforeAll(async () => {
    await runIn(root, { program: 'cli/bin.js', args: ['new', folder, ...options] })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    await createDatabase(adminUrl, database)
  })

  it('passes its checks', async () => {
    await expectDone(tool('prettier/bin/prettier.cjs', '--check', '.'))
    for (const project of ['.', 'e2e', 'app/framework', 'cli'])
      await expectDone(tool('typescript/bin/tsc', '-p', project))
    await expectDone(tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings'))
    await expectDone(run('cli/bin.js', 'db', 'prepare'))
    await expectDone(run('cli/bin.js', 'routes', 'audit', '--check'))
  })

  it('passes its tests', async () => {
    await expectDone(tool('vitest/vitest.mjs', 'run'))
    const args = ['test', '--config', 'e2e']
    const browser = { CHROMIUM_PATH: findBrowser(), E2E_PORT: String(await anyFreePort()) }
    const program = 'node_modules/@playwright/test/cli.js'
    await expectDone(runIn(folder, { program, args, env: { ...env, ...browser } }))
  })

  it('scaffolds a resource, whose tests pass', async () => {
    await expectDone(run('cli/bin.js', 'scaffold', 'ticket', 'title:string', 'owner:references:user'))
    await expectDone(tool('vitest/vitest.mjs', 'run', 'app/tickets'))
  })
})
