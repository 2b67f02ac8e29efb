import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { expectCleanCode, expectDone } from '../test-support/expect-done.ts'
import { cloneOf, runIn } from '../test-support/run-in.ts'
import { root } from '../test/tools.ts'
import { namesIn, sourceIn } from './add-on.ts'

// `npm run pergola -- test:scaffold cli/add-ons`: adds and removes each add-on, and all of them, in a clone of the last commit.
const names = namesIn(sourceIn(root))
const scratch = mkdtempSync(join(tmpdir(), 'add-ons-'))
const clone = join(scratch, 'clone')
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const { adminUrl, prefix } = inject('databases')
const url = databaseUrl(adminUrl, `${prefix}add_ons`)
const run = (program: string, ...args: string[]) =>
  runIn(clone, { program, args, env: { DATABASE_URL: url } })
const cli = (...args: string[]) => run('cli/bin.js', ...args)
const tool = (file: string, ...args: string[]) => run(join('node_modules', file), ...args)

beforeAll(async () => {
  await cloneOf(root, clone)
  // A copy: the add-ons install packages.
  rmSync(join(clone, 'node_modules'))
  cpSync(join(root, 'node_modules'), join(clone, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  await createDatabase(adminUrl, `${prefix}add_ons`)
})

const groups = [...names.map((name) => [name]), names]

describe.each(groups.map((group) => [group.join(', '), group] as const))('%s', (_, group) => {
  it('is added to an application that passes its checks and its tests', async () => {
    for (const name of group) await cli('add', name)
    await expectCleanCode(tool)
    await expectDone(cli('routes', 'audit', '--check'))
    await expectDone(
      tool('vitest/vitest.mjs', 'run', ...(group.length === 1 ? changedFolders(await changes()) : [])),
    )
  })

  it('is removed to the byte', async () => {
    for (const name of group.toReversed()) await cli('remove', name)
    expect(await changes()).toEqual([])
  })
})

/** Returns the lines of git for changed and new files, such as ` M app/log.ts`. */
const changes = async (): Promise<string[]> =>
  (await run('git', 'status', '--porcelain', '--untracked-files=all')).split('\n').filter(Boolean)

/** The application's folders with a changed file. Without one, a quick test: vitest fails without any. */
function changedFolders(lines: readonly string[]): string[] {
  const folders = lines.flatMap((line) => /^.. (app\/[\w-]+\/)/.exec(line)?.[1] ?? [])
  return folders.length === 0 ? ['app/app.test.ts'] : [...new Set(folders)]
}
