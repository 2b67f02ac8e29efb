import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { gitText } from '../project/git.ts'
import type { Origin } from '../project/place.ts'
import { baseCommit, type Named, refuseDowngrade } from './origin.ts'
import { fetchVersion, openStore, type Store } from './source.ts'
import { upstreamTree } from './tree.ts'
import { compareVersions, newestRelease } from '../project/versions.ts'

const temporary = mkdtempSync(join(tmpdir(), 'pergola-origin-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))
const [upstream, clone, copy] = ['upstream', 'clone', 'copy'].map((name) => join(temporary, name)) as [
  string,
  string,
  string,
]

const git = (cwd: string, ...args: string[]) =>
  gitText(['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], { cwd })
const commit = (cwd: string) => {
  git(cwd, 'commit', '--quiet', '--allow-empty', '--message', `Change ${cwd}`)
  return git(cwd, 'rev-parse', 'HEAD')
}

gitText(['init', '--quiet', '--initial-branch=main', upstream])
const checked = commit(upstream)
const released = commit(upstream)
git(upstream, 'tag', '--annotate', 'v1.0.0', '--message', '1.0.0')
const between = commit(upstream)
gitText(['clone', '--quiet', upstream, clone])
commit(clone)
gitText(['init', '--quiet', '--initial-branch=main', copy])
commit(copy)
const latest = commit(upstream)
git(upstream, 'tag', 'v1.1.0-rc.1')

const stores: Store[] = []
afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())))

function open(root: string): Store {
  const store = openStore(root)
  stores.push(store)
  return store
}

function base(root: string, pergola: Origin, baseOption?: string): string {
  writeFileSync(join(root, 'package.json'), JSON.stringify({ pergola }))
  const store = open(root)
  const { commit: theirs } = fetchVersion(store, upstream, 'HEAD')
  expect(theirs).toBe(latest)
  return baseCommit(store, { root, theirs, baseOption })
}

describe('baseCommit', () => {
  it('prefers the tag of a release to the commit before it', () => {
    expect(base(copy, { version: '1.0.0', commit: checked })).toBe(released)
  })

  it('prefers the commit of an upgrade to a version after the release', () => {
    expect(base(copy, { version: '1.0.0', commit: between })).toBe(between)
  })

  it('prefers the merge base of a clone, unless an upgrade recorded a newer commit', () => {
    expect(base(clone, { version: '1.0.0', commit: checked })).toBe(between)
    expect(base(clone, { version: '1.0.0', commit: latest })).toBe(latest)
    expect(base(clone, {})).toBe(between)
  })

  it('ignores a release of the application itself', () => {
    const own = join(temporary, 'own')
    gitText(['clone', '--quiet', '--no-tags', upstream, own])
    commit(own)
    git(own, 'tag', 'v1.0.0')
    expect(base(own, { version: '1.0.0', commit: checked })).toBe(latest)
    // The release command of Pergola also works in an application, and records the commit before the tag.
    const before = git(own, 'rev-parse', 'HEAD~1')
    const recorded = commit(own)
    commit(own)
    git(own, 'tag', 'v2.0.0')
    expect(base(own, { version: '2.0.0', commit: recorded })).toBe(before)
  })

  it('finds the release tag in a clone if upstream is a folder without a repository', () => {
    const folder = join(temporary, 'unpacked')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{}')
    const from = (pergola: Origin) => {
      writeFileSync(join(clone, 'package.json'), JSON.stringify({ pergola }))
      const store = open(clone)
      const { commit: theirs, isSnapshot } = fetchVersion(store, folder, null)
      return baseCommit(store, { root: clone, theirs, baseOption: undefined, isSnapshot })
    }
    expect(from({ version: '1.0.0', commit: checked })).toBe(released)
    git(clone, 'tag', 'v3.0.0')
    expect(from({ version: '3.0.0', commit: checked })).toBe(checked)
  })

  it('accepts a folder: an unpacked archive, or a clone', () => {
    const [old, fresh] = ['old', 'fresh'].map((name) => join(temporary, name)) as [string, string]
    for (const folder of [old, fresh]) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'package.json'), '{}')
      writeFileSync(join(folder, `${basename(folder)}.ts`), '')
    }
    writeFileSync(join(copy, 'package.json'), '{}')
    const store = open(copy)
    const { commit: theirs } = fetchVersion(store, fresh, null)
    const from = (baseOption: string) =>
      baseCommit(store, { root: copy, theirs, baseOption, isSnapshot: true })
    expect([...upstreamTree(store.folder, from(old)).keys()]).toEqual(['old.ts', 'package.json'])
    expect(from(upstream)).toBe(latest)
  })

  it('returns an archive of the recorded version as the base', () => {
    const folder = join(temporary, 'same')
    mkdirSync(folder)
    const from = (pergola: Origin, shipped: Origin) => {
      writeFileSync(join(copy, 'package.json'), JSON.stringify({ pergola }))
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ pergola: shipped }))
      const store = open(copy)
      const { commit: theirs, isSnapshot } = fetchVersion(store, folder, null)
      return baseCommit(store, { root: copy, theirs, baseOption: undefined, isSnapshot }) === theirs
    }
    const [record, other] = ['1', '2'].map((digit) => ({ version: '4.0.0', commit: digit.repeat(40) })) as [
      Origin,
      Origin,
    ]
    expect(from(record, record)).toBe(true)
    expect(() => from(record, other)).toThrow('--base')
    expect(() => from({ version: '4.0.0' }, { version: '4.0.0' })).toThrow('--base')
  })

  it('suggests --base in a shallow clone if upstream is a folder without a repository', () => {
    const [shallow, folder] = [join(temporary, 'shallow'), join(temporary, 'archive')]
    gitText(['clone', '--quiet', '--depth=2', '--branch=v1.0.0', `file://${upstream}`, shallow])
    mkdirSync(folder)
    const pergola = { version: '1.0.0', commit: checked }
    writeFileSync(join(shallow, 'package.json'), JSON.stringify({ pergola }))
    writeFileSync(join(folder, 'package.json'), '{}')
    const store = open(shallow)
    const { commit: theirs, isSnapshot } = fetchVersion(store, folder, null)
    expect(() => baseCommit(store, { root: shallow, theirs, baseOption: undefined, isSnapshot })).toThrow(
      '--base',
    )
  })

  it('accepts the value of --base, and suggests --base if the version is unknown', () => {
    expect(base(copy, {}, checked.slice(0, 10))).toBe(checked)
    expect(() => base(copy, {}, 'no-such')).toThrow('no-such is neither a commit')
    expect(() => base(copy, {}, temporary)).toThrow(`${temporary} is neither a commit`)
    expect(() => base(copy, {})).toThrow('--base')
    expect(() => base(copy, { commit: '0'.repeat(40) })).toThrow('--base')
  })
})

describe('refuseDowngrade', () => {
  const refuse = (from: [string, string], to: [string, string], force?: boolean) => () => {
    const [old, fresh] = [from, to].map(([version, commit]) => ({ version, commit })) as [Named, Named]
    const store = open(upstream)
    fetchVersion(store, upstream, null)
    refuseDowngrade(store, { from: old, to: fresh, force })
  }

  it('refuses an older release and an older commit, unless forced', () => {
    expect(refuse(['1.1.0', between], ['1.0.0', released])).toThrow('is older than 1.1.0')
    expect(refuse(['1.0.0', between], ['1.0.0', released])).toThrow('Use --force')
    expect(refuse(['1.1.0', released], ['1.0.0', between])).toThrow('Use --force')
    expect(refuse(['1.1.0', between], ['1.0.0', released], true)).not.toThrow()
  })

  it('accepts a newer version and the same version', () => {
    expect(refuse(['1.0.0', released], ['1.0.0', between])).not.toThrow()
    expect(refuse(['1.0.0', released], ['1.0.0', released])).not.toThrow()
    expect(refuse(['unknown', released], ['0.1.0', between])).not.toThrow()
  })
})

describe('fetchVersion', () => {
  it.each([
    [null, released],
    ['1.0.0', released],
    ['v1.0.0', released],
    ['main', latest],
    ['HEAD', latest],
    ['1.1.0-rc.1', latest],
    [between, between],
  ])('finds %s', (version, expected) => {
    const store = open(clone)
    expect(fetchVersion(store, upstream, version)).toEqual({ commit: expected, isSnapshot: false })
  })

  it('throws for an unreadable repository', () => {
    const store = open(clone)
    expect(() => fetchVersion(store, join(temporary, 'nowhere'), null)).toThrow(
      'can’t be read'.replace('’', "'"),
    )
  })
})

describe('compareVersions', () => {
  it('orders numbers and pre-releases', () => {
    const sorted = ['0.2.0', '0.10.0-rc.1', '0.10.0-rc.2', '0.10.0', '1.0.0']
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
    expect([
      newestRelease(['1.0.0', '1.1.0-rc.1']),
      newestRelease(['1.1.0-rc.1']),
      newestRelease([]),
    ]).toEqual(['1.0.0', '1.1.0-rc.1', null])
  })
})
