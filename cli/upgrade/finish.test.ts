import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Files, UpgradeFixture } from '../test-support/upgrade-fixture.ts'
import { emptyResult } from '../test-support/upgrade-result.ts'
import { finish, installNeeds } from './finish.ts'
import { resultInWords } from './report.ts'
import { type Tree, upstreamTree } from './tree.ts'

const fixture = new UpgradeFixture()
const temporary = mkdtempSync(join(tmpdir(), 'pergola-finish-'))
afterAll(() => [fixture.root, temporary].map((folder) => rmSync(folder, { recursive: true, force: true })))

describe('finish', () => {
  const [root, bin] = [join(temporary, 'app'), join(temporary, 'bin')]
  let printed: string[] = []
  const result = emptyResult
  const remaining = { result, needs: { installs: true, flags: ['--flag'] }, migrations: [] }

  function stubNpm(script: string): void {
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$PATH $@" > "${temporary}/npm"\n${script}\n`, {
      mode: 0o755,
    })
  }

  beforeEach(() => {
    printed = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
    mkdirSync(root, { recursive: true })
    const own = join(root, 'node_modules/.bin')
    vi.stubEnv('PATH', [own, bin, process.env['PATH']].join(delimiter))
  })
  afterEach(() => vi.unstubAllEnvs())

  it('installs the packages with an npm outside of node_modules, then prints the result', async () => {
    stubNpm('exit 0')
    await finish(root, remaining, {})
    expect(readFileSync(join(temporary, 'npm'), 'utf8')).toMatch(
      new RegExp(`^${bin}:.* install --include=dev .*--flag\n$`),
    )
    expect(printed.at(-1)).toBe(resultInWords(result))
  })

  it('prints the result if the installation fails, too', async () => {
    stubNpm('exit 7')
    await expect(finish(root, remaining, {})).rejects.toThrow('npm install failed')
    expect(printed.at(-1)).toBe(resultInWords(result))
  })

  it('leaves the installation for later with --no-install', async () => {
    stubNpm('exit 7')
    await finish(root, remaining, { install: false })
    expect(printed).toEqual([resultInWords(result)])
    await finish(root, remaining, { install: false, json: true })
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({ from: '0.1.0 (a)', dryRun: false })
  })
})

describe('installNeeds', () => {
  const needs = (before: Record<string, object>, after: Record<string, object>) => {
    const trees = [before, after].map((files) => {
      const entries = Object.entries(files).map(([path, content]) => [path, JSON.stringify(content)])
      return upstreamTree(fixture.root, fixture.commit(Object.fromEntries(entries) as Files))
    }) as [Tree, Tree]
    return installNeeds(fixture.root, ...trees)
  }
  const lock = (version: string, own = '1') => ({
    packages: { '': { version: own }, 'node_modules/a': { version } },
  })

  it('include an installation if a requested or a locked package changed', () => {
    const request = (version: string) => ({ dependencies: { a: version } })
    expect(needs({ 'package.json': request('1') }, { 'package.json': request('2') }).installs).toBe(true)
    expect(needs({}, { 'app/framework/package.json': request('1') }).installs).toBe(true)
    expect(needs({ 'package-lock.json': lock('1') }, { 'package-lock.json': lock('2') }).installs).toBe(true)
  })

  it('include no installation if only other keys and the own version changed', () => {
    const before = { 'package.json': { version: '1' }, 'package-lock.json': lock('1') }
    const after = { 'package.json': { version: '2' }, 'package-lock.json': lock('1', '2') }
    expect(needs(before, after).installs).toBe(false)
  })

  it('keep the URLs of a registry out of a lockfile without them', () => {
    const resolved = { packages: { 'node_modules/a': { resolved: 'https://registry.example/a.tgz' } } }
    expect(needs({ 'package-lock.json': lock('1') }, {}).flags).toEqual(['--omit-lockfile-registry-resolved'])
    expect(needs({ 'package-lock.json': resolved }, {}).flags).toEqual([])
  })
})
