import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { gitText } from '../project/git.ts'
import { planUpgrade } from './plan.ts'
import { fetchVersion, openStore } from './source.ts'
import { textOf } from './tree.ts'

type Files = Record<string, string>

const temporary = mkdtempSync(join(tmpdir(), 'pergola-plan-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))
const [root, upstream] = [join(temporary, 'app'), join(temporary, 'upstream')]

function write(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function commit(files: Files): string {
  const git = (...args: string[]) =>
    gitText(['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], { cwd: upstream })
  write(upstream, files)
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'Change')
  return git('rev-parse', 'HEAD')
}

/** Plans the upgrade of an application with these files from one version to another. */
async function plan({ base = {}, ours = {}, theirs = {} }: { base?: Files; ours?: Files; theirs?: Files }) {
  const old = commit({ 'package.json': '{}\n', ...base })
  const fresh = commit(theirs)
  write(root, { 'package.json': '{}\n', ...ours })
  const store = openStore(root)
  try {
    fetchVersion(store, upstream, fresh)
    const input = { root, store, base: old, theirs: fresh, from: 'https://example.com/x.git' }
    const { outcomes } = await planUpgrade(input)
    return Object.fromEntries(outcomes.map((outcome) => [outcome.path, outcome]))
  } finally {
    await store.close()
  }
}

beforeEach(() => {
  for (const folder of [root, upstream]) {
    rmSync(folder, { recursive: true, force: true })
    gitText(['init', '--quiet', '--initial-branch=main', folder])
  }
})

describe('planUpgrade', { timeout: 60_000 }, () => {
  it('keeps an ignored file at the path of a new file', async () => {
    const { 'notes.log': notes } = await plan({
      ours: { '.gitignore': '*.log\n', 'notes.log': 'mine\n' },
      theirs: { 'notes.log': 'theirs\n' },
    })
    expect(notes).toMatchObject({
      decision: expect.stringContaining('yours were kept'),
      beside: { path: 'notes.log.conflict' },
    })
    expect(notes?.after && textOf(notes.after)).toBe('mine\n')
  })

  it('keeps the line endings, the indentation and other keys of package.json', async () => {
    const lines = ['{', '    "name": "mine",', '    "pergola": {', '        "own": 1', '    }', '}', '']
    const { 'package.json': record } = await plan({
      ours: { 'package.json': lines.join('\r\n') },
      theirs: { 'package.json': '{ "version": "2.0.0" }\n' },
    })
    const text = (record?.after && textOf(record.after)) ?? ''
    expect(text).toContain('\r\n    "pergola": {\r\n        "own": 1,\r\n        "version": "2.0.0",\r\n')
    expect(text).not.toMatch(/[^\r]\n/)
  })

  it('replaces a lockfile with other line endings', async () => {
    const lock = (version: string) => `{\n  "version": "${version}"\n}\n`
    const { 'package-lock.json': outcome } = await plan({
      base: { 'package-lock.json': lock('1') },
      ours: { 'package-lock.json': lock('1').replaceAll('\n', '\r\n') },
      theirs: { 'package-lock.json': lock('2') },
    })
    expect(outcome).toMatchObject({ verb: 'replace' })
  })

  it('refuses a new file at the path of a folder or link', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true })
    symlinkSync(temporary, join(root, 'link'))
    const theirs = { 'a/b': 'x\n', 'link/x/y.ts': 'x\n', 'c/d.ts': 'x\n' }
    await expect(plan({ theirs })).rejects.toThrow('in the way of new files: a/b, link. Rename or remove')
  })
})
