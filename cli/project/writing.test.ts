import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { recover } from './journal.ts'
import { beginWriting } from './writing.ts'

const root = mkdtempSync(join(tmpdir(), 'pergola-writing-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const at = (path: string) => join(root, path)
const journal = at('.data/unfinished-scaffold.json')

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(at('app'), { recursive: true })
  writeFileSync(at('app/list.ts'), 'before\n')
  writeFileSync(at('app/old.ts'), 'old\n')
})

const changes = [
  { path: 'app/new/one.ts', before: null, after: 'one\n' },
  { path: 'app/list.ts', before: 'before\n', after: 'after\n' },
  { path: 'app/old.ts', before: 'old\n', after: null },
]
const isAsBefore = () => [
  existsSync(at('app/new')),
  readFileSync(at('app/list.ts'), 'utf8'),
  readFileSync(at('app/old.ts'), 'utf8'),
  existsSync(journal),
]
const AS_BEFORE = [false, 'before\n', 'old\n', false]

/** Makes the changes in another process, which receives the signal just before the nth change, or after all of them. */
function dieAt(nth: number, signal: NodeJS.Signals, { isCommitted = false } = {}) {
  const script = `
    import { beginWriting } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'writing.ts')).href)}
    import { diskOf } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'disk.ts')).href)}
    const disk = diskOf(process.argv[1])
    let count = 0
    const counted = (work) => { if (++count === ${nth}) process.kill(process.pid, '${signal}'); work() }
    const writing = beginWriting(process.argv[1], {
      write: (path, text) => counted(() => disk.write(path, text)),
      remove: (path) => counted(() => disk.remove(path)),
    })
    writing.apply(${JSON.stringify(changes)})
    if (${isCommitted}) writing.commit()
    process.kill(process.pid, '${signal}')
    await new Promise((resolve) => setTimeout(resolve, 10_000))`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script, root], { encoding: 'utf8' })
}

describe('beginWriting', () => {
  it('makes all changes and closes the journal', () => {
    const writing = beginWriting(root)
    writing.apply(changes)
    writing.commit()
    expect(() => beginWriting(root)).toThrow('Another scaffold or destroy is running')
    writing.close()
    expect(readFileSync(at('app/new/one.ts'), 'utf8')).toBe('one\n')
    expect([existsSync(at('app/old.ts')), existsSync(journal)]).toEqual([false, false])
    expect(recover(root)).toBeNull()
  })

  it('throws if a file was changed since the changes were planned', () => {
    writeFileSync(at('app/old.ts'), 'mine\n')
    expect(() => beginWriting(root).apply(changes)).toThrow('app/old.ts was changed by another program')
    expect(isAsBefore()).toEqual([false, 'before\n', 'mine\n', false])
  })

  it.each([1, 2, 3, 4])(
    'leaves nothing when the process is killed at change %i, once another recovers',
    (nth) => {
      expect(dieAt(nth, 'SIGKILL').signal).toBe('SIGKILL')
      expect(existsSync(journal)).toBe(true)
      expect(recover(root)?.restored).toHaveLength(nth - 1)
      expect(isAsBefore()).toEqual(AS_BEFORE)
    },
  )

  it.each(['SIGINT', 'SIGTERM'] as const)('rolls back after %s', (signal) => {
    expect(dieAt(4, signal).status).toBe(130)
    expect(isAsBefore()).toEqual(AS_BEFORE)
  })

  it('locks out other commands', () => {
    const writing = beginWriting(root)
    expect(() => beginWriting(root)).toThrow('Another scaffold or destroy is running')
    writing.rollBack()
    expect(isAsBefore()).toEqual(AS_BEFORE)
  })

  it('rolls back committed changes, but neither later edits nor another command’s journal', () => {
    const writing = beginWriting(root)
    writing.apply(changes)
    writing.commit()
    writing.close()
    writeFileSync(at('app/list.ts'), 'mine\n')
    const other = beginWriting(root)
    writing.rollBack()
    expect(isAsBefore()).toEqual([false, 'mine\n', 'old\n', true])
    other.close()
  })

  it('keeps committed changes if the process is killed', () => {
    expect(dieAt(4, 'SIGKILL', { isCommitted: true }).signal).toBe('SIGKILL')
    expect(recover(root)).toBeNull()
    expect(existsSync(at('app/new/one.ts'))).toBe(true)
    beginWriting(root).close()
  })

  it('records its process in the journal from the start', () => {
    const writing = beginWriting(root)
    expect(JSON.parse(readFileSync(journal, 'utf8'))).toEqual({ pid: process.pid, changes: [] })
    writing.rollBack()
  })

  it('refuses to write outside the project', () => {
    const writing = beginWriting(root)
    expect(() => writing.apply([{ path: '../outside.ts', before: null, after: '' }])).toThrow(
      'outside the project',
    )
    expect(isAsBefore()).toEqual(AS_BEFORE)
  })
})

describe('recover', () => {
  it('does not restore a file that was changed since', () => {
    dieAt(3, 'SIGKILL')
    writeFileSync(at('app/list.ts'), 'mine\n')
    expect(recover(root)).toEqual({ restored: ['app/new/one.ts'], skipped: ['app/list.ts'] })
    expect(readFileSync(at('app/list.ts'), 'utf8')).toBe('mine\n')
  })

  it('throws while another command is writing', () => {
    mkdirSync(at('.data'), { recursive: true })
    writeFileSync(journal, JSON.stringify({ pid: process.ppid, changes }))
    expect(() => recover(root)).toThrow(`process ${process.ppid}`)
  })

  it('ignores an empty journal', () => {
    mkdirSync(at('.data'), { recursive: true })
    writeFileSync(journal, '')
    expect(recover(root)).toBeNull()
    expect(isAsBefore()).toEqual(AS_BEFORE)
  })
})
