import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLinesOf, linksOf } from '../../docs/documents.ts'
import { gitText } from '../../project/git.ts'
import { importsOf } from '../../scaffold/project/imported-files.ts'
import { runCli } from '../../test-support/run-cli.ts'
import { isStarter } from '../../test-support/starter.ts'
import { root } from '../../test/tools.ts'
import { DEVELOPMENT_PATHS, DEVELOPMENT_TEXTS } from './development.ts'
import { AUTHOR, openStore } from '../../upgrade/source.ts'
import { upstreamTree } from '../../upgrade/tree.ts'
import { checkOut } from '../../upgrade/version-folder.ts'
import { applicationFiles } from './application-files.ts'
import { applicationNames } from './application-names.ts'
import { originAt } from './application-origin.ts'

const scratch = mkdtempSync(join(tmpdir(), 'pergola-new-'))
const folder = join(scratch, 'Help Desk')
const names = applicationNames('help-desk', 'Help "desk" & more')
const origin = { version: '0.1.0', commit: 'abc', from: '../pergola' }
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const filesIn = (pattern: string) =>
  globSync(pattern, { cwd: folder, exclude: ['node_modules'] }).map((path) => path.replaceAll('\\', '/'))

beforeAll(async () => {
  const store = openStore(root)
  // The changes of the work tree, as a commit without a branch.
  const commit = gitText([...AUTHOR, 'stash', 'create'], { cwd: root }) || 'HEAD'
  mkdirSync(folder)
  store.linkObjects()
  const version = upstreamTree(store.folder, gitText(['rev-parse', commit], { cwd: root }))
  checkOut(store.folder, applicationFiles(store.folder, version, { names, origin }), folder)
  await store.close()
}, 60_000)

describe.runIf(isStarter)('an application in a folder of its own', () => {
  it('has its own names', () => {
    const { scripts, ...record } = JSON.parse(read('package.json')) as Record<string, object>
    expect(record).toMatchObject({ name: 'help-desk', description: names.title, pergola: { ...origin } })
    expect(record).not.toHaveProperty('license')
    expect(Object.keys(scripts ?? {}).join()).not.toMatch(/test:|docs|bench|release|screenshots/)
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({ name: 'help-desk' })
    expect(read('app/config.toml')).toContain('name = "Help \\"desk\\" & more"')
    expect(read('app/config.toml')).toContain('"Help desk  more <no-reply@example.org>"')
    expect(JSON.parse(read('public/root/manifest.webmanifest'))).toMatchObject({ name: names.title })
    expect(read('docker-compose.yml')).toContain('POSTGRES_DB: help_desk\n')
    expect(read('.env.example')).toContain('postgres://help_desk:help_desk@127.0.0.1:5432/help_desk')
    expect(read('README.md')).toMatch(/^# Help "desk" & more\n/)
    expect(read('app/framework/LICENSE')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
  })

  it('imports no file that was left out', () => {
    const used = filesIn('{app,cli,e2e}/**/*.ts')
      .filter((path) => !path.startsWith('cli/add-ons/'))
      .flatMap((path) => importsOf(path, read(path)).map((target) => `${path}: ${target}`))
    expect(used.filter((line) => line.endsWith('/pergola/lab'))).toEqual([])
    const missing = used
      .filter((line) => /\/[\w.-]+\.[jt]s$/.test(line))
      .filter((line) => !existsSync(join(folder, line.split(': ')[1] ?? '')))
    expect(missing).toEqual([])
  })

  it('has documents that name no file and no script that was left out', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const pages = filesIn('{*.md,docs/**/*.md,app/framework/*.md}')
    const links = pages.flatMap((page) => linksOf(page, read(page)).map(({ path }) => `${page}: ${path}`))
    expect(links.filter((line) => !existsSync(join(folder, line.split(': ')[1] ?? '')))).toEqual([])
    const calls = pages.flatMap((page) =>
      commandLinesOf(read(page)).flatMap((line) =>
        [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name),
      ),
    )
    expect([...new Set(calls)].filter((name = '') => !Object.hasOwn(scripts, name))).toEqual([])
  })
})

describe('what is left out', () => {
  it.runIf(isStarter)('exists', () => {
    expect(DEVELOPMENT_PATHS.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const unused = Object.entries(DEVELOPMENT_TEXTS).flatMap(([path, parts]) =>
      parts.filter((part) => !readFileSync(join(root, path), 'utf8').match(part)),
    )
    expect(unused).toEqual([])
  })
})

describe('names', () => {
  it.each([
    ['helpdesk', { packageName: 'helpdesk', title: 'Helpdesk', identifier: 'helpdesk' }],
    ['Help.Desk_2', { packageName: 'help-desk-2', title: 'Help desk 2', identifier: 'help_desk_2' }],
    ['7days', { packageName: '7days', title: '7days', identifier: 'app_7days' }],
  ])('are derived from the folder %s', (folder, expected) => {
    expect(applicationNames(folder)).toEqual(expected)
  })

  it('need a letter or a digit', () => {
    expect(() => applicationNames('…')).toThrow('needs a name with letters')
  })
})

describe('the origin', () => {
  it('is the newest commit that the remote has', () => {
    const [remote, clone] = ['remote', 'clone'].map((name) => join(scratch, name)) as [string, string]
    const git = (cwd: string, ...args: string[]) => gitText([...AUTHOR, ...args], { cwd })
    mkdirSync(remote)
    git(remote, 'init', '--quiet', '--initial-branch=main')
    writeFileSync(join(remote, 'package.json'), '{}')
    git(remote, 'add', '.')
    git(remote, 'commit', '--quiet', '-m', 'One')
    const shared = git(remote, 'rev-parse', 'HEAD')
    git(scratch, 'clone', '--quiet', remote, clone)
    git(clone, 'commit', '--quiet', '--allow-empty', '-m', 'Mine')
    expect(originAt(clone, join(scratch, 'app'), '0.1.0')).toEqual({
      version: '0.1.0',
      commit: shared,
      from: '../clone',
    })
    git(clone, 'remote', 'set-url', 'origin', 'https://user:secret@example.org/pergola.git')
    expect(originAt(clone, scratch, '0.1.0').from).toBe('https://example.org/pergola.git')
  })
})

describe('cli new', { timeout: 120_000 }, () => {
  it('writes and commits an application without the sample', async () => {
    const target = join(scratch, 'new/Help Desk')
    const { code, stdout, stderr } = await runCli(['new', target, '--without-sample'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Next: cd ')
    expect(gitText(['status', '--porcelain'], { cwd: target })).toBe('')
    expect(gitText(['log', '--format=%s'], { cwd: target })).toBe('Begin with Pergola')
    const paths = gitText(['ls-files'], { cwd: target })
    expect(paths).toContain('app/users/user.ts')
    expect(paths).not.toMatch(/^(?:app|views|e2e)\/posts|node_modules/m)
    expect(existsSync(join(target, 'node_modules'))).toBe(false)
  })

  it.each([
    ['a folder with files', scratch, 3, 'is not empty'],
    ['a folder without letters', join(scratch, '…'), 2, 'needs a name with letters'],
  ])('refuses %s', async (_, target, code, message) => {
    const ended = await runCli(['new', target])
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(message) })
  })
})
