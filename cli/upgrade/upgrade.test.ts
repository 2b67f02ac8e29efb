import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type TestClone, TestUpstream } from '../test-support/test-upstream.ts'

const PARTIAL = 'views/partials/field.eta'
const OVERRIDE = 'views/partials/page_info.eta'
const FRAMEWORK = 'app/framework/src/features/request-log/request-log.ts'
const TEMPLATE = 'cli/scaffold/templates/views.show.eta'
const SHOWN = 'views/gadgets/show.eta'

const upstream = TestUpstream.make()
afterAll(() => upstream.remove())

/** Creates an application of version 1.0.0 with a scaffolded resource and edits. */
function application(name: string): TestClone {
  const app = upstream.clone(name, '1.0.0')
  expect(
    app.cli('scaffold', 'gadget', 'title:string', 'owner:references:user', '--no-migrate'),
  ).toMatchObject({
    code: 0,
  })
  app.edit(PARTIAL, '  const value =', '  // Ours: the value.\n  const value =')
  app.edit(FRAMEWORK, '{8,64}', '{8,128}')
  app.edit('docs/lists.md', '# Lists and pages', '# Our lists')
  app.edit('package.json', '"scripts": {', '"scripts": {\n    "deploy": "sh deploy.sh",')
  app.edit(SHOWN, '<aside class="card">', '<aside class="card wide">')
  app.write(OVERRIDE, 'mine\n')
  app.write('app/mine.ts', 'export {}\n')
  rmSync(join(app.root, 'docs/tasks.md'))
  app.commit()
  return app
}

beforeAll(() => {
  upstream.edit(PARTIAL, '  const errors =', '  // New: the errors.\n  const errors =')
  upstream.edit(FRAMEWORK, 'export function requestLog', '// New.\nexport function requestLog')
  upstream.write(`app/framework/${OVERRIDE}`, 'new\n')
  upstream.edit(TEMPLATE, '<div class="bar">', '<div class="bar new">')
  upstream.edit('package.json', '"scripts": {', '"scripts": {\n    "fresh": "node fresh.js",')
  upstream.edit('package.json', '"pergola": "node', '"test:fresh": "node x.js",\n    "pergola": "node --x')
  upstream.write('app/framework/src/http/fresh.test.ts', 'export {}\n')
  upstream.edit('README.md', '# Pergola\n', '# New Pergola\n')
  // The new version has another list of development files.
  upstream.write('cli/linkcheck.ts', 'export {}\n')
  upstream.edit('cli/application/development.json', '"docs/style.md"', '"cli/linkcheck.ts"')
  upstream.edit(
    'cli/application/development.json',
    '[["scripts", "pergola"]]',
    '[["scripts", "pergola"], ["scripts", "test:fresh"]]',
  )
  upstream.git('mv', 'docs/lists.md', 'docs/lists-and-pages.md')
  upstream.edit('docs/lists-and-pages.md', '## Counts', '## Counts of pages')
  upstream.edit('docs/tasks.md', '# ', '# New ')
  upstream.write('app/fresh.ts', 'export {}\n')
  upstream.write('app/db/migrations/20260601000000_add_fresh.ts', 'export {}\n')
  rmSync(join(upstream.root, 'docs/resources.md'))
  upstream.publish('1.1.0', '- Fresh things.', '- To do in a clone from before: water the plants.')
  upstream.edit(PARTIAL, '  const value =', '  // Theirs: the value.\n  const value =')
  upstream.edit(FRAMEWORK, '// New.', '// Newer.')
  upstream.publish('1.2.0', '- Newer things.')
})

const recorded = (app: TestClone) =>
  (JSON.parse(app.read('package.json')) as { pergola: object; scripts: Record<string, string> }).pergola

// Each test runs a dozen commands in new processes.
describe('cli upgrade', () => {
  it('upgrades an edited clone twice, without and with conflicts', () => {
    const app = application('twice')
    const first = app.cli('upgrade', '1.1.0', '--resources', '--no-install')
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toMatch(/^1\.0\.0 \(\w{9}\) -> 1\.1\.0 \(\w{9}\)\n/)
    expect(first.out).toContain('- Fresh things.')
    expect(first.out).toContain('Next steps:\n- water the plants.\n- Run `npx cli db migrate`')
    expect(first.out).toContain(`- Compare ${OVERRIDE} with app/framework/${OVERRIDE}, which it overrides`)
    expect(app.read(PARTIAL)).toMatch(/Ours: the value\.[\s\S]*New: the errors\./)
    expect(app.read(FRAMEWORK)).toMatch(/\{8,128\}[\s\S]*\/\/ New\.\nexport function requestLog/)
    expect(app.read('docs/lists-and-pages.md')).toMatch(/# Our lists[\s\S]*## Counts of pages/)
    expect(app.read(SHOWN)).toMatch(/class="bar new"[\s\S]*class="card wide"/)
    expect(app.read('app/mine.ts')).toBe('export {}\n')
    const exist = [
      'docs/lists.md',
      'docs/resources.md',
      'docs/tasks.md',
      'app/fresh.ts',
      '.data/writing.lock',
    ]
    expect(exist.map((path) => existsSync(join(app.root, path)))).toEqual([false, false, false, true, false])
    expect(JSON.parse(app.read('package.json'))).toMatchObject({
      scripts: { deploy: 'sh deploy.sh', fresh: 'node fresh.js' },
      pergola: { version: '1.1.0', commit: upstream.git('rev-parse', 'v1.1.0^{}'), from: upstream.root },
    })
    app.commit()

    const second = app.cli('upgrade', '--no-install')
    expect(second).toMatchObject({ code: 3, err: '' })
    expect(second.out).toContain(
      'Conflicts to resolve (1):\n  views/partials/field.eta: you and the new version changed',
    )
    expect(second.out).not.toContain('Fresh things')
    expect(app.read(PARTIAL)).toContain('Ours: the value.')
    expect(app.read(PARTIAL)).not.toContain('Theirs: the value.')
    expect(app.read(`${PARTIAL}.conflict`)).toContain('  // Theirs: the value.\n>>>>>>> the new version')
    expect(app.read(FRAMEWORK)).toMatch(/\{8,128\}[\s\S]*\/\/ Newer\.\n/)
    expect(recorded(app)).toMatchObject({ version: '1.2.0' })
    const before = app.git('status', '--porcelain')
    for (const flag of ['--force', '--dry-run'])
      expect(app.cli('upgrade', flag)).toEqual({
        code: 3,
        out: '',
        err: `Unresolved conflicts of an earlier upgrade (1):\n  ${PARTIAL}: resolve the conflicts shown in ${PARTIAL}.conflict, then delete ${PARTIAL}.conflict.\nNo files were written.\n`,
      })
    expect(app.git('status', '--porcelain')).toBe(before)
    rmSync(join(app.root, `${PARTIAL}.conflict`))
    app.commit()
    expect(app.cli('upgrade').out).toMatch(/^This application is already at version 1\.2\.0 \(\w{9}\)\.\n$/)
  })

  it('adds no development file and no script of them to an application of `cli new`', () => {
    const app = upstream.clone('from', '1.0.0').created('created')
    app.edit(FRAMEWORK, '{8,64}', '{8,128}')
    app.commit()
    expect(app.cli('upgrade', '1.1.0', '--no-install')).toMatchObject({ code: 0, err: '' })
    expect(app.read(FRAMEWORK)).toMatch(/\{8,128\}[\s\S]*\/\/ New\.\nexport function requestLog/)
    expect(app.git('diff', '--cached', '--name-only', 'HEAD', '--', 'README.md', '*.test.ts')).toBe('')
    expect(app.read('docs/style.md')).toBe(upstream.read('docs/style.md'))
    expect(existsSync(join(app.root, 'cli/linkcheck.ts'))).toBe(false)
    const { scripts } = JSON.parse(app.read('package.json')) as { scripts: object }
    expect(Object.keys(scripts).filter((name) => /fresh|test:/.test(name))).toEqual(['fresh'])
    expect(recorded(app)).toMatchObject({
      version: '1.1.0',
      application: { name: 'created', title: 'Created' },
    })
    app.commit()
    expect(app.cli('new', '../other')).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown command 'new'"),
    })
  })

  it('writes conflicts into files with --markers, keeps CRLF and ignores a release tag of the application', () => {
    const app = upstream.clone('marked', '1.0.0')
    app.edit(PARTIAL, '  const value =', '  // Ours: the value.\n  const value =')
    app.edit(FRAMEWORK, '{8,64}', '{8,128}')
    app.write('.gitattributes', '* -text\n')
    app.write(FRAMEWORK, app.read(FRAMEWORK).replaceAll('\n', '\r\n'))
    app.write('app/mine.ts', 'export {}\n')
    app.commit()
    app.git('tag', '--force', 'v1.0.0')
    const { code, out, err } = app.cli('upgrade', '--markers', '--no-install')
    expect([code, err]).toEqual([3, ''])
    expect(out).toContain('1 file removed:\n  docs/resources.md\n')
    expect(app.read(PARTIAL)).toMatch(
      /<<<<<<< yours\n[\s\S]*Ours: [\s\S]*Theirs: [\s\S]*>>>>>>> the new version\n/,
    )
    expect(existsSync(join(app.root, `${PARTIAL}.conflict`))).toBe(false)
    expect(app.read(FRAMEWORK)).toMatch(/\{8,128\}[\s\S]*\/\/ Newer\.\r\n/)
    expect(app.read(FRAMEWORK)).not.toMatch(/[^\r]\n/)
    expect(app.cli('upgrade')).toMatchObject({
      code: 3,
      err: expect.stringContaining(`(1):\n  ${PARTIAL}: resolve the conflict markers in the file.\n`),
    })
    expect(app.read('app/mine.ts')).toBe('export {}\n')
  })

  it('upgrades offline, from a folder without a repository', () => {
    const app = upstream.clone('offline', '1.0.0')
    app.edit(PARTIAL, '  const value =', '  // Ours: the value.\n  const value =')
    app.commit()
    const folder = join(dirname(app.root), 'unpacked')
    cpSync(upstream.root, folder, { recursive: true })
    rmSync(join(folder, '.git'), { recursive: true })
    expect(app.cli('upgrade', '--from', folder, '--no-install')).toMatchObject({
      code: 3,
      out: expect.stringMatching(/Conflicts to resolve \(1\):\n {2}views\/partials\/field\.eta/),
    })
    expect(recorded(app)).toEqual(JSON.parse(upstream.read('package.json')).pergola)
  })

  it('upgrades an unpacked archive from other archives, repeatedly', () => {
    const app = upstream.clone('archived', '1.0.0')
    const [old, fresh] = ['old', 'fresh'].map((name) => join(dirname(app.root), name)) as [string, string]
    for (const [folder, tag] of [
      [old, 'v1.0.0'],
      [fresh, 'v1.1.0'],
    ] as const) {
      upstream.git('worktree', 'add', '--quiet', folder, tag)
      rmSync(join(folder, '.git'))
    }
    upstream.git('worktree', 'prune')
    rmSync(join(app.root, '.git'), { recursive: true })
    app.git('init', '--quiet')
    app.commit()
    expect(app.cli('upgrade', '--from', fresh)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Specify that version with --base'),
    })
    expect(app.cli('upgrade', '--from', fresh, '--base', old, '--no-install')).toMatchObject({ code: 0 })
    expect(existsSync(join(app.root, 'app/fresh.ts'))).toBe(true)
    app.commit()
    expect(app.cli('upgrade', '--from', fresh)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^This application is already at version 1\.1\.0 \(\w{9}\)\.\n$/),
    })
  })

  it('writes nothing in a dry run or over uncommitted changes', () => {
    const app = upstream.clone('careful', '1.0.0')
    app.edit(PARTIAL, '  const value =', '  // Ours: the value.\n  const value =')
    app.write('app/new/fresh.ts', 'mine\n')
    for (const flags of [[], ['--force']]) {
      const refused = app.cli('upgrade', ...flags)
      expect(refused).toMatchObject({ code: 3, out: '' })
      expect(refused.err).toContain('uncommitted changes')
      expect(refused.err).toContain(`No files were written.\n  ${PARTIAL}\n  app/new/fresh.ts\n`)
    }
    app.commit()
    const rehearsed = app.cli('upgrade', '--dry-run', '--diff')
    expect(rehearsed.code).toBe(3)
    expect(rehearsed.out).toContain('+export {}')
    expect(rehearsed.out).toContain('Dry run: no files were written.')
    const inJson = app.cli('upgrade', '--dry-run', '--json')
    expect(JSON.parse(inJson.out)).toMatchObject({
      files: expect.arrayContaining([expect.objectContaining({ path: PARTIAL, verb: 'merge' })]),
      dryRun: true,
    })
    expect([app.git('status', '--porcelain'), existsSync(join(app.root, '.data'))]).toEqual(['', false])
  })

  it('reports an unknown version, folder, base or repository', () => {
    const app = upstream.clone('lost', '1.0.0')
    expect(app.cli('upgrade', '7.0.0').err).toContain('has no version 7.0.0. It has 1.0.0, 1.1.0, 1.2.0.')
    expect(app.cli('upgrade', '--app', '/no/such')).toMatchObject({
      code: 2,
      err: 'The folder /no/such does not exist. Use --app to specify the folder of your application.\n',
    })
    expect(app.cli('upgrade', '--app', 'docs').err).toContain('docs has no package.json. Use --app')
    expect(existsSync(join(app.root, 'docs/.data'))).toBe(false)
    expect(app.cli('upgrade', '--base', 'no-such').err).toContain('no-such is neither a commit of upstream')
    app.edit('package.json', '"pergola": {', '"other": {')
    app.git('remote', 'remove', 'origin')
    app.git('add', '--all')
    app.git('commit', '--quiet', '--amend', '--message', 'Unrelated')
    expect(app.cli('upgrade').err).toContain('--from')
  })

  it('refuses an application without a commit, or a git that is too old', () => {
    const app = upstream.clone('uncommitted', '1.0.0')
    const bin = join(dirname(app.root), 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.37.4\n', { mode: 0o755 })
    const path = process.env['PATH'] ?? ''
    vi.stubEnv('PATH', [bin, path].join(delimiter))
    expect(app.cli('upgrade')).toEqual({
      code: 1,
      out: '',
      err: 'git 2.37.4 is too old: an upgrade requires git 2.38 or newer. No files were written.\n',
    })
    vi.unstubAllEnvs()
    rmSync(join(app.root, '.git'), { recursive: true })
    for (const prepare of [() => {}, () => app.git('init', '--quiet')]) {
      prepare()
      expect(app.cli('upgrade', '--from', upstream.root)).toMatchObject({
        code: 3,
        err: expect.stringContaining('not in a git repository, or is not committed. Commit it first'),
      })
    }
  })

  it('does not take the git remote of the application for the repository of Pergola', () => {
    const app = upstream.clone('unrecorded', '1.0.0')
    const { pergola, ...rest } = JSON.parse(app.read('package.json')) as { pergola: Record<string, string> }
    const { from: _, ...unplaced } = pergola
    app.write('package.json', `${JSON.stringify({ ...rest, pergola: unplaced }, null, 2)}\n`)
    app.commit()
    const { code, err } = app.cli('upgrade', '1.1.0')
    expect([code, err]).toEqual([2, expect.stringContaining(`--from ${upstream.root}`)])
    const { out } = app.cli('upgrade', '1.1.0', '--from', upstream.root, '--no-install', '--json')
    expect((JSON.parse(out) as { steps: string[] }).steps).toContain('Run `npx cli db migrate`.')
    expect(recorded(app)).toMatchObject({ version: '1.1.0' })
  })
})
