import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readdirSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Outcome } from './merge.ts'
import { stage } from './stage.ts'
import type { Blob, Tree } from './tree.ts'
import { refuseUnfinishedUpgrade } from './unfinished.ts'

const temporary = mkdtempSync(join(tmpdir(), 'pergola-finish-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))
const root = join(temporary, 'app')
const bin = join(temporary, 'bin')
const journal = join(root, '.data/upgrade/journal.json')

const blob = (content: string | Buffer, executable = false): Blob => ({
  bytes: Buffer.from(content as string),
  executable,
})
const BEFORE: Record<string, Blob> = {
  'package-lock.json': blob('{}\n'),
  'cli/bin.js': blob('old\n'),
  'cli/old.ts': blob('old\n'),
  'lib/moved.ts': blob('moved\n'),
  'public/icon.png': blob(Buffer.from([0, 1, 255])),
}
const AFTER: Record<string, Blob> = {
  'package-lock.json': blob('{}\n'),
  '.ci/run': blob('run\n', true),
  'cli/bin.js': blob('new\n', true),
  'cli/new/deep.ts': blob('new\n'),
  'lib/src/moved.ts': blob('moved\n'),
  'public/icon.png': blob(Buffer.from([0, 2, 254])),
}

function put(path: string, { bytes, executable }: Blob): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), bytes)
  chmodSync(join(root, path), executable ? 0o755 : 0o644)
}

/** Returns all files of the application with their modes. */
const files = (): Record<string, Blob> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.includes('/.data/'))
      .map((file) => {
        const executable = (statSync(file).mode & 0o100) !== 0
        return [file.slice(root.length + 1), { bytes: readFileSync(file), executable }]
      }),
  )

function stageUpgrade({ installs = false, code = 0, conflict = false } = {}): void {
  const written: Outcome[] = Object.entries(AFTER).map(([path, after]) => ({
    path,
    verb: 'replace',
    after,
    ...(path === 'lib/src/moved.ts' && {
      movedFrom: 'lib/moved.ts',
      ...(conflict && { beside: { path: 'lib/src/moved.ts.conflict', blob: blob('both') } }),
    }),
  }))
  const removed: Outcome[] = ['cli/old.ts', 'lib/moved.ts'].map((path) => ({
    path,
    verb: 'remove',
    after: null,
  }))
  const now: Tree = new Map(Object.entries(BEFORE))
  const outcomes = [...written.filter(({ path }) => path !== 'package-lock.json'), ...removed]
  stage(root, { now, outcomes, installs, installFlags: ['--flag'], report: 'The report.', code })
}

/** Returns a module that kills the process before its nth change of the file system. */
const killAt = (nth: number): string =>
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let count = 0
    for (const name of ['writeFileSync', 'renameSync', 'rmSync', 'rmdirSync', 'mkdirSync', 'chmodSync']) {
      const real = fs[name]
      fs[name] = (...given) => {
        if (++count === ${nth}) process.kill(process.pid, 'SIGKILL')
        return real(...given)
      }
    }
    syncBuiltinESMExports()`)}`

function finish(args: readonly string[] = [], { dieAt = 0, npm = 'exit 0' } = {}) {
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" > "${temporary}/npm-args"\n${npm}\n`, { mode: 0o755 })
  const program = join(root, '.data/upgrade/finish.js')
  const node = dieAt > 0 ? ['--import', killAt(dieAt)] : []
  return spawnSync(process.execPath, [...node, program, ...args], {
    encoding: 'utf8',
    env: { PATH: [bin, process.env['PATH']].join(delimiter) },
  })
}

const reset = (): void => {
  rmSync(root, { recursive: true, force: true })
  for (const [path, content] of Object.entries(BEFORE)) put(path, content)
}
beforeEach(reset)

describe('finish.js', { timeout: 60_000 }, () => {
  it('writes, moves and removes the files with their modes, prints the report and removes the journal', () => {
    stageUpgrade({ code: 3 })
    const { status, stdout } = finish()
    expect([status, stdout]).toEqual([3, 'The report.\n'])
    expect(files()).toEqual(AFTER)
    expect(existsSync(join(root, '.data/upgrade'))).toBe(false)
  })

  // Each run kills the process at a later change, until a run completes without being killed.
  it.each(['--resume', '--roll-back'])(
    'completes every change after a kill at any point: %s',
    (word) => {
      let killed = 0
      for (let nth = 1; ; nth += 1) {
        reset()
        stageUpgrade()
        if (finish([], { dieAt: nth }).signal !== 'SIGKILL') break
        killed += 1
        // Without a journal, the upgrade is complete.
        const isUndone = existsSync(journal) && word === '--roll-back'
        const status = existsSync(journal) ? finish([word]).status : 0
        expect([status, files()]).toEqual([0, isUndone ? BEFORE : AFTER])
        expect(existsSync(journal)).toBe(false)
      }
      expect(killed).toBeGreaterThan(20)
    },
    60_000,
  )

  it('keeps a private file unreadable for other users', () => {
    for (const path of ['cli/bin.js', 'public/icon.png']) chmodSync(join(root, path), 0o600)
    stageUpgrade()
    expect(finish().status).toBe(0)
    const modes = ['cli/bin.js', 'public/icon.png', 'cli/new/deep.ts', '.ci/run'].map(
      (path) => statSync(join(root, path)).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o600, 0o644, 0o755])
  })

  it('keeps the mode of a private file that is moved or restored', () => {
    const modeOf = (path: string) => statSync(join(root, path)).mode & 0o777
    for (const path of ['cli/old.ts', 'lib/moved.ts']) chmodSync(join(root, path), 0o600)
    stageUpgrade({ conflict: true })
    expect(modeOf('.data/upgrade/blobs')).toBe(0o700)
    expect(finish().status).toBe(0)
    expect([modeOf('lib/src/moved.ts'), modeOf('lib/src/moved.ts.conflict')]).toEqual([0o600, 0o600])
    reset()
    for (const path of ['cli/old.ts', 'lib/moved.ts']) chmodSync(join(root, path), 0o600)
    stageUpgrade({ installs: true })
    expect(finish([], { npm: 'exit 1' }).status).toBe(1)
    expect(existsSync(join(root, 'cli/old.ts'))).toBe(false)
    expect(finish(['--roll-back']).status).toBe(0)
    expect([modeOf('cli/old.ts'), modeOf('lib/moved.ts')]).toEqual([0o600, 0o600])
  })

  it('makes other commands fail until the upgrade is finished', () => {
    stageUpgrade()
    expect(() => refuseUnfinishedUpgrade(root)).toThrow(`npx cli upgrade --app ${root} --roll-back`)
    finish()
    expect(() => refuseUnfinishedUpgrade(root)).not.toThrow()
  })

  it('keeps the rollback data of an unfinished upgrade if another upgrade starts', () => {
    stageUpgrade()
    finish([], { dieAt: 18 })
    expect(() => stageUpgrade()).toThrow('An upgrade is not finished')
    expect(finish(['--roll-back']).status).toBe(0)
    expect(files()).toEqual(BEFORE)
  })

  it('rolls back after an earlier rollback was killed', () => {
    stageUpgrade()
    expect(finish([], { dieAt: 18 }).signal).toBe('SIGKILL')
    expect(finish(['--roll-back'], { dieAt: 12 }).signal).toBe('SIGKILL')
    expect(finish(['--roll-back']).status).toBe(0)
    expect(files()).toEqual(BEFORE)
  })

  it('reports and does not change a file that was edited after the interruption', () => {
    stageUpgrade()
    expect(finish([], { dieAt: 20 }).signal).toBe('SIGKILL')
    put('cli/bin.js', blob('mine\n'))
    const { status, stdout, stderr } = finish(['--resume'])
    expect(stdout).toContain(
      'were not changed (1):\n  cli/bin.js: compare it with the file of the new version.\n',
    )
    expect([status, stderr]).toEqual([
      3,
      'cli/bin.js was edited after the upgrade began and was not changed.\n',
    ])
    expect(files()).toEqual({ ...AFTER, 'cli/bin.js': blob('mine\n') })
  })

  it('installs packages last and resumes after a failed installation', () => {
    stageUpgrade({ installs: true })
    const failed = finish([], { npm: 'exit 7' })
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining('npx cli upgrade --resume')])
    expect(readFileSync(join(temporary, 'npm-args'), 'utf8')).toMatch(/^install .*--flag\n$/)
    expect(files()).toEqual(AFTER)
    const renewed = `printf renewed > "${root}/package-lock.json"`
    expect(finish(['--resume'], { npm: renewed })).toMatchObject({ status: 0, stderr: '' })
    expect(files()).toEqual({ ...AFTER, 'package-lock.json': blob('renewed') })
  })

  it('restores the lockfile and installs the previous packages', () => {
    stageUpgrade({ installs: true })
    finish([], { npm: `printf renewed > "${root}/package-lock.json"; exit 1` })
    expect(finish(['--roll-back'])).toMatchObject({ status: 0 })
    expect(files()).toEqual(BEFORE)
  })

  it('writes nothing through a symbolic link', () => {
    stageUpgrade()
    rmSync(join(root, 'public'), { recursive: true })
    mkdirSync(join(temporary, 'elsewhere'), { recursive: true })
    symlinkSync(join(temporary, 'elsewhere'), join(root, 'public'))
    expect(finish()).toMatchObject({ status: 1, stderr: expect.stringContaining('is a symbolic link') })
    expect(readdirSync(join(temporary, 'elsewhere'))).toEqual([])
  })

  it('fails while another process is upgrading', () => {
    stageUpgrade()
    writeFileSync(
      journal,
      JSON.stringify({ ...JSON.parse(readFileSync(journal, 'utf8')), pid: process.ppid }),
    )
    expect(finish(['--resume'])).toMatchObject({
      status: 5,
      stderr: expect.stringContaining(`${process.ppid}`),
    })
  })
})
