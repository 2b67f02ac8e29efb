import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { beginWriting } from './writing.ts'

const root = mkdtempSync(join(tmpdir(), 'pergola-writing-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const at = (path: string) => join(root, path)
const lock = at('.data/writing.lock')

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
  existsSync(lock),
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
  it('makes all changes and releases the lock', () => {
    const writing = beginWriting(root)
    writing.apply(changes)
    writing.commit()
    expect(() => beginWriting(root)).toThrow('is writing files of this application')
    writing.close()
    expect(readFileSync(at('app/new/one.ts'), 'utf8')).toBe('one\n')
    expect([existsSync(at('app/old.ts')), existsSync(lock)]).toEqual([false, false])
  })

  it('throws if a file was changed since the changes were planned', () => {
    writeFileSync(at('app/old.ts'), 'mine\n')
    expect(() => beginWriting(root).apply(changes)).toThrow('app/old.ts was changed by another program')
    expect(isAsBefore()).toEqual([false, 'before\n', 'mine\n', false])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('rolls back after %s', (signal) => {
    expect(dieAt(4, signal).status).toBe(130)
    expect(isAsBefore()).toEqual(AS_BEFORE)
  })

  it('locks out other commands', () => {
    const writing = beginWriting(root)
    expect(() => beginWriting(root)).toThrow('is writing files of this application')
    writing.rollBack()
    expect(isAsBefore()).toEqual(AS_BEFORE)
  })

  it('rolls back committed changes, but neither later edits nor another command’s lock', () => {
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

  it.each(['SIGINT', 'SIGKILL'] as const)('keeps committed changes after %s', (signal) => {
    dieAt(4, signal, { isCommitted: true })
    expect(existsSync(at('app/new/one.ts'))).toBe(true)
    beginWriting(root).close()
  })

  it('refuses to write outside the project', () => {
    const writing = beginWriting(root)
    expect(() => writing.apply([{ path: '../outside.ts', before: null, after: '' }])).toThrow(
      'outside the project',
    )
    expect(isAsBefore()).toEqual(AS_BEFORE)
  })
})
