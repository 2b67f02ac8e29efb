import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { check, resolveConfig } from 'prettier'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applicationNames } from '../../application/application-names.ts'
import development from '../../application/development.json' with { type: 'json' }
import { developmentSchema } from '../../application/development-files.ts'
import { commandLinesOf, linksOf, pathsOf } from '../../docs/documents.ts'
import { gitText } from '../../project/git.ts'
import { importsOf } from '../../scaffold/project/imported-files.ts'
import { runCli } from '../../test-support/run-cli.ts'
import { isStarter } from '../../test-support/starter.ts'
import { root } from '../../test/tools.ts'
import { AUTHOR, openStore } from '../../upgrade/source.ts'
import { upstreamTree } from '../../upgrade/tree.ts'
import { checkOut } from '../../upgrade/version-folder.ts'
import { originAt } from './clone-origin.ts'
import { newFiles } from './new-files.ts'

const scratch = mkdtempSync(join(tmpdir(), 'pergola-new-'))
const folder = join(scratch, 'Help Desk')
const names = applicationNames('help-desk', 'Help "desk" & more')
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const isLeftOut = (path: string) =>
  !development.except.includes(path) &&
  development.paths.some((one) => path === one || path.startsWith(`${one}/`))
const filesIn = (pattern: string) =>
  globSync(pattern, { cwd: folder, exclude: ['node_modules'] }).map((path) => path.replaceAll('\\', '/'))

beforeAll(async () => {
  const store = openStore(root)
  // The tree of the changed files. With an index of its own, since git locks the index.
  const index = join(scratch, 'index')
  copyFileSync(join(root, gitText(['rev-parse', '--git-path', 'index'], { cwd: root })), index)
  const env = { GIT_INDEX_FILE: index }
  gitText(['add', '--update'], { cwd: root, env })
  mkdirSync(folder)
  writeFileSync(join(scratch, 'file'), '')
  store.linkObjects()
  const version = upstreamTree(store.folder, gitText(['write-tree'], { cwd: root, env }))
  checkOut(store.folder, newFiles(store.folder, version, { names, origin: {} }), folder)
  await store.close()
})

describe.runIf(isStarter)('an application in a folder of its own', () => {
  it('has its own names', () => {
    const { scripts, ...record } = JSON.parse(read('package.json')) as Record<string, object>
    expect(record).toMatchObject({
      name: 'help-desk',
      description: names.title,
      pergola: { application: names },
    })
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

  it('imports no development file, also with add-ons', () => {
    const files = new Map(
      filesIn('{app,cli,e2e}/**/*').map((path) => [path.replace(/^cli\/add-ons\/[^/]+\/files\//, ''), path]),
    )
    const used = [...files]
      .filter(([path]) => path.endsWith('.ts'))
      .flatMap(([path, source]) => importsOf(path, read(source)).map((target) => `${path}: ${target}`))
    expect(used.filter((line) => line.endsWith('/pergola/lab'))).toEqual([])
    const missing = used
      .filter((line) => /\/[\w.-]+\.[jt]s$/.test(line))
      .filter((line) => !files.has(line.split(': ')[1] ?? ''))
    expect(missing).toEqual([])
  })

  it('has documents that name no file and no script of the development of Pergola', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const pages = filesIn('{*.md,docs/**/*.md,app/framework/*.md}')
    const links = pages.flatMap((page) => linksOf(page, read(page)).map(({ path }) => `${page}: ${path}`))
    expect(links.filter((line) => !existsSync(join(folder, line.split(': ')[1] ?? '')))).toEqual([])
    const named = pages.flatMap((page) => pathsOf(read(page)).map((path) => `${page}: ${path}`))
    expect(named.filter((line) => isLeftOut(line.split(': ')[1] ?? ''))).toEqual([])
    const calls = pages.flatMap((page) =>
      commandLinesOf(read(page)).flatMap((line) =>
        [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name),
      ),
    )
    expect([...new Set(calls)].filter((name = '') => !Object.hasOwn(scripts, name))).toEqual([])
  })
})

describe.runIf(isStarter)('the documents of an application', () => {
  it('are formatted', async () => {
    const pages = filesIn('{*.md,docs/**/*.md,app/framework/*.md}')
    const config = await resolveConfig(join(root, 'README.md'))
    const checks = pages.map(async (page) => [
      page,
      await check(read(page), { ...config, parser: 'markdown' }),
    ])
    expect((await Promise.all(checks)).filter(([, isFormatted]) => isFormatted === false)).toEqual([])
  })
})

describe.runIf(isStarter)('the list of development files', () => {
  it('names existing files, keys and texts', () => {
    const { paths, except, keys, texts } = developmentSchema.parse(development)
    const source = (path: string) => readFileSync(join(root, path), 'utf8')
    expect([...paths, ...except].filter((path) => !existsSync(join(root, path)))).toEqual([])
    const missing = Object.entries(keys).flatMap(([path, all]) =>
      all.filter((key) => key.reduce((value, part) => value?.[part], JSON.parse(source(path))) === undefined),
    )
    expect(missing).toEqual([])
    const unused = Object.entries(texts).flatMap(([path, all]) =>
      all.filter((text) => !source(path).includes(text)),
    )
    expect(unused).toEqual([])
  })

  it('has each script that an application lacks', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    expect(Object.keys(scripts).join(' ')).toBe('dev test prestart start format lint types')
  })
})

describe('names', () => {
  it.each([
    ['helpdesk', { name: 'helpdesk', title: 'Helpdesk' }],
    ['Help.Desk_2', { name: 'help-desk-2', title: 'Help Desk 2' }],
    ['Bürohilfe', { name: 'burohilfe', title: 'Bürohilfe' }],
    ['MyCRM', { name: 'mycrm', title: 'MyCRM' }],
  ])('are derived from the folder %s', (folder, expected) => {
    expect(applicationNames(folder)).toEqual(expected)
  })

  it.each(['x'.repeat(61), 'two\nlines'])('are not %j', (title) => {
    expect(() => applicationNames('helpdesk', title)).toThrow('one line of up to 60 characters')
  })

  it('need a Latin letter or a digit', () => {
    expect(() => applicationNames('…')).toThrow('needs Latin letters or digits')
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
    git(clone, 'remote', 'set-head', 'origin', '--delete')
    expect(originAt(clone)).toEqual({ commit: shared })
    git(clone, 'remote', 'set-url', 'origin', 'https://user:secret@example.org/pergola.git')
    expect(originAt(clone).from).toBe('https://example.org/pergola.git')
    // The folder of an archive, within another repository.
    const archive = join(remote, 'archive')
    mkdirSync(archive)
    writeFileSync(join(archive, 'package.json'), '{ "pergola": { "version": "1.0.0", "commit": "a" } }')
    expect(originAt(archive)).toEqual({ version: '1.0.0', commit: 'a' })
  })
})

describe('cli new', () => {
  it('writes and commits an application without the sample', async () => {
    const target = join(scratch, 'new/Help Desk')
    const home = join(scratch, 'home')
    mkdirSync(join(home, 'hooks'), { recursive: true })
    writeFileSync(join(home, 'ignored'), '.vscode\n')
    writeFileSync(join(home, 'hooks/commit-msg'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    writeFileSync(
      join(home, '.gitconfig'),
      `[core]\nexcludesFile = ${home}/ignored\nhooksPath = ${home}/hooks\n[commit]\ngpgsign = true\n`,
    )
    const { code, stdout, stderr } = await runCli(['new', target, '--without-sample'], {
      env: { HOME: home },
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Next: cd ')
    expect(gitText(['status', '--porcelain'], { cwd: target })).toBe('')
    expect(gitText(['log', '--format=%s'], { cwd: target })).toBe('Begin with Pergola')
    const paths = gitText(['ls-files'], { cwd: target })
    expect(paths).toContain('app/users/user.ts')
    expect(paths).toContain('.vscode/settings.json')
    expect(readdirSync(dirname(target))).toEqual(['Help Desk'])
    expect(paths).not.toMatch(/^(?:app|views|e2e)\/posts|node_modules/m)
    expect(existsSync(join(target, 'node_modules'))).toBe(false)
  })

  it.each([
    ['a folder in the clone', join(root, 'helpdesk'), 2, 'Choose a folder beside it'],
    ['a folder with files', scratch, 3, 'is not empty'],
    ['a folder below a file', join(scratch, 'file', 'desk'), 3, 'is a file'],
    ['a folder below node_modules', join(scratch, 'node_modules', 'desk'), 3, 'named node_modules'],
    ['a folder without letters', join(scratch, '…'), 2, 'needs Latin letters'],
  ])('refuses %s', async (_, target, code, message) => {
    const ended = await runCli(['new', target])
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(message) })
  })
})
