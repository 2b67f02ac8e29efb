import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { whileLocked, writerIn } from './lock.ts'

const root = mkdtempSync(join(tmpdir(), 'pergola-lock-'))
const lock = join(root, '.data/writing.lock')
beforeEach(() => rmSync(join(root, '.data'), { recursive: true, force: true }))
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('whileLocked', () => {
  it('refuses a second command while the first one writes', async () => {
    let second: Promise<unknown> = Promise.resolve()
    await whileLocked(root, async () => {
      second = whileLocked(root, () => 'ran')
      await expect(second).rejects.toThrow(`Another process (${process.pid}) is writing files`)
      expect(existsSync(lock)).toBe(true)
    })
    expect(await whileLocked(root, () => 'ran')).toBe('ran')
  })

  it('releases the lock if the work fails', async () => {
    await expect(whileLocked(root, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(existsSync(lock)).toBe(false)
  })

  it('takes over the lock of an ended process, and warns that its files may be incomplete', async () => {
    mkdirSync(join(root, '.data'))
    writeFileSync(lock, '4194305')
    const warn = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await whileLocked(root, () => readFileSync(lock, 'utf8'))).toBe(`${process.pid}`)
    expect(warn.mock.calls.join()).toContain('Check them with `git status`')
    warn.mockRestore()
  })
})

describe('writerIn', () => {
  it.each([
    ['another process', `${process.ppid}`, process.ppid],
    ['this process', `${process.pid}`, null],
    ['an ended process', '4194305', null],
    ['a file that is not written yet', '', null],
  ])('reads the lock of %s', (_, text, expected) => {
    mkdirSync(join(root, '.data'))
    writeFileSync(lock, text)
    expect(writerIn(root)).toBe(expected)
  })

  it('is null without a lock', () => expect(writerIn(root)).toBeNull())
})
