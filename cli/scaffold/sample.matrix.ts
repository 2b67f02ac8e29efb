import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { anyFreePort } from '../port.ts'
import { catalogOf } from '../test-support/catalog.ts'
import { cloneOf, runIn } from '../test-support/run-in.ts'
import { findBrowser } from '../test/browser.ts'
import { expectCleanCode, expectDone } from '../test-support/expect-done.ts'

// `npm run pergola -- test:scaffold`: removes the sample from a clone of the last commit, and scaffolds it again.
const root = join(import.meta.dirname, '../..')
// The fast tests of the command line that read the resources of the application.
const MEETING_RESOURCES = ['cli/scaffold/sample', 'cli/scaffold/code', 'cli/scaffold/read', 'cli/docs']
const hasSample = existsSync(join(root, 'app/posts/companions.json'))
const scratch = mkdtempSync(join(tmpdir(), 'sample-matrix-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe.skipIf(!hasSample).each(['a fresh clone', 'a clone with a filled database'])(
  'the sample of %s',
  (name) => {
    const isFilled = name !== 'a fresh clone'
    const clone = join(scratch, isFilled ? 'filled' : 'fresh')
    const { adminUrl, prefix } = inject('databases')
    const database = `${prefix}sample_${isFilled ? 'filled' : 'fresh'}`
    const url = databaseUrl(adminUrl, database)
    const run = (program: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
      runIn(clone, { program, args, env: { DATABASE_URL: url, ...env } })
    const cli = (...args: string[]) => run('cli/bin.js', args)
    const tool = (file: string, ...args: string[]) => run(join('node_modules', file), args)
    const read = (path: string) => readFileSync(join(clone, path), 'utf8')
    const record = () => JSON.parse(read('app/posts/scaffold.json')) as { files: Record<string, string> }
    const isMigration = (path: string) => path.startsWith('app/db/migrations/')
    const [, command = ''] =
      /^npx cli scaffold (post .*)$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []

    let written: Record<string, string> = {}

    beforeAll(async () => {
      await cloneOf(root, clone)
      await createDatabase(adminUrl, database)
      if (isFilled) await cli('db', 'prepare')
      const paths = Object.keys(record().files).filter((path) => !isMigration(path))
      written = Object.fromEntries(paths.map((path) => [path, read(path)]))
    })

    it('destroys the sample and its companions', async () => {
      await expect(cli('destroy', 'post')).rejects.toThrow('These files of Post were not generated')
      await cli('destroy', 'post', '--force')
      expect(globSync('{app,views,e2e}/{posts,feed}/**', { cwd: clone })).toEqual([])
      expect(read('app/resources.ts')).not.toContain('post')
      expect((await catalogOf(url)).join()).not.toMatch(/relation posts|posts_count/)
      const mentions = globSync('{app,views,e2e}/**/*.{ts,eta}', { cwd: clone })
        .filter((path) => !/^app[\\/](?:framework|db[\\/]migrations)[\\/]/.test(path))
        .filter((path) => /\bposts\b|\bPost\b/.test(read(path)))
      expect(mentions).toEqual([])
      expect(read('README.md')).not.toMatch(/app\/posts|[Tt]he sample/)
    })

    it('leaves formatted code, and consistent types, manifest and database', async () => {
      await expectCleanCode(tool)
      await expectDone(cli('db', 'prepare'))
      await expectDone(cli('db', 'types', '--check'))
      await expectDone(cli('routes', 'audit', '--check'))
    })

    it('leaves an application whose tests pass', async () => {
      await expectDone(tool('vitest/vitest.mjs', 'run'))
      const browser = { CHROMIUM_PATH: findBrowser(), E2E_PORT: String(await anyFreePort()) }
      await expectDone(run('node_modules/@playwright/test/cli.js', ['test', '--config', 'e2e'], browser))
    })

    it('leaves a command line whose tests need no sample', async () => {
      await expectDone(
        tool('vitest/vitest.mjs', 'run', '--config', 'cli/vitest.config.ts', ...MEETING_RESOURCES),
      )
    })

    it('restores the sample byte for byte with the command of the README', async () => {
      await cli('scaffold', ...command.replaceAll("'", '').split(' '))
      const paths = Object.keys(record().files).filter((path) => !isMigration(path))
      expect(Object.fromEntries(paths.map((path) => [path, read(path)]))).toEqual(written)
      await tool('typescript/bin/tsc', '-p', '.')
      await cli('routes', 'audit', '--check')
      await tool('vitest/vitest.mjs', 'run', 'app/posts')
    })
  },
)
