import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { gitText } from '../project/git.ts'
import { release } from './release.ts'

const root = mkdtempSync(join(tmpdir(), 'pergola-release-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const FILES = {
  'package.json': { name: 'x', version: '0.1.0' },
  'app/framework/package.json': { name: 'pergola', version: '0.1.0' },
  'package-lock.json': {
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0' },
      'app/framework': { version: '0.1.0' },
      'node_modules/a': { version: '1.0.0' },
    },
  },
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const json = (path: string) => JSON.parse(read(path)) as unknown
const git = (...args: string[]) => gitText(args, { cwd: root })
const commit = () => git('commit', '--quiet', '--all', '--message', 'Change')
const options = { from: 'https://example.com/x.git', today: new Date('2026-11-22T10:00:00Z') }

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  for (const [path, value] of Object.entries(FILES)) write(path, JSON.stringify(value))
  write(
    'CHANGELOG.md',
    '# Changelog\n\n## Unreleased\n\n- One.\n- Two.\n\n## 0.0.1 (2026-01-01)\n\n- Zero.\n',
  )
  write('app/framework/CHANGELOG.md', '# Changelog\n\n## Unreleased\n')
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@localhost')
  git('add', '--all')
  commit()
})

describe('release', () => {
  it('writes the versions, the origin and the changelogs, commits and tags', () => {
    const checked = git('rev-parse', 'HEAD')
    expect(release(root, '0.2.0', options).join(' ')).toContain('the tag v0.2.0')
    expect(json('package.json')).toEqual({
      name: 'x',
      version: '0.2.0',
      pergola: { version: '0.2.0', commit: checked, from: options.from },
    })
    expect(json('app/framework/package.json')).toMatchObject({ version: '0.2.0' })
    expect(json('package-lock.json')).toEqual({
      version: '0.2.0',
      packages: {
        '': { version: '0.2.0' },
        'app/framework': { version: '0.2.0' },
        'node_modules/a': { version: '1.0.0' },
      },
    })
    expect(read('CHANGELOG.md')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-22)\n\n- One.\n- Two.\n\n## 0.0.1 (2026-01-01)\n\n- Zero.\n',
    )
    expect(read('app/framework/CHANGELOG.md')).toContain('## 0.2.0 (2026-11-22)\n\n- No changes.\n')
    expect([git('status', '--porcelain'), git('rev-parse', 'v0.2.0^{}~1')]).toEqual(['', checked])
  })

  it('writes nothing in a dry run', () => {
    expect(release(root, '0.2.0', { ...options, dryRun: true })).toContain('would change package.json')
    expect([git('status', '--porcelain'), git('tag')]).toEqual(['', ''])
  })

  it('keeps the recorded URL, and removes user names and tokens from a URL', () => {
    git('remote', 'add', 'origin', 'https://me:secret@example.com/y.git')
    release(root, '0.2.0')
    expect(json('package.json')).toMatchObject({ pergola: { from: 'https://example.com/y.git' } })
    git('remote', 'remove', 'origin')
    write('CHANGELOG.md', read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n- Three.\n'))
    commit()
    release(root, '0.3.0')
    expect(json('package.json')).toMatchObject({ pergola: { from: 'https://example.com/y.git' } })
    expect(read('app/framework/CHANGELOG.md')).toMatch(
      /- No changes\.\n\n## 0\.2\.0 \(.*\)\n\n- No changes\.\n$/,
    )
  })

  it('records no URL if none is known', () => {
    const commit = git('rev-parse', 'HEAD')
    release(root, '0.2.0')
    expect(json('package.json')).toMatchObject({ pergola: { version: '0.2.0', commit } })
    expect(read('package.json')).not.toContain('"from"')
  })

  it.each<[string, string, () => unknown]>([
    ['next', '"next" is not a version', () => null],
    ['0.2.0', '0.2.0 is not newer than 0.3.0', () => git('tag', 'v0.3.0')],
    ['0.2.0', 'Releases are made on main', () => git('switch', '--quiet', '--create', 'other')],
    ['0.2.0', 'There are uncommitted changes', () => write('new.ts', '')],
    [
      '0.2.0',
      'no entries below "## Unreleased"',
      () => (write('CHANGELOG.md', '## Unreleased\n\n## 0.1.0\n\n- A.\n'), commit()),
    ],
    ['0.2.0', 'has no heading "## Unreleased"', () => (write('CHANGELOG.md', '# Changelog\n'), commit())],
  ])('rejects %s: %s', (version, problem, prepare) => {
    prepare()
    const head = git('rev-parse', 'HEAD')
    expect(() => release(root, version)).toThrow(problem)
    expect(git('rev-parse', 'HEAD')).toBe(head)
  })
})
