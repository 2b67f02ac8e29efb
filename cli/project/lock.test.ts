import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { whileLocked } from './lock.ts'

const root = mkdtempSync(join(tmpdir(), 'pergola-lock-'))
const lock = join(root, '.data/upgrade.lock')
beforeEach(() => rmSync(join(root, '.data'), { recursive: true, force: true }))
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('whileLocked', () => {
  it('refuses a second upgrade while the first one runs', async () => {
    let second: Promise<unknown> = Promise.resolve()
    await whileLocked(root, async () => {
      second = whileLocked(root, () => 'ran')
      await expect(second).rejects.toThrow(`Another process (${process.pid}) is upgrading`)
      expect(existsSync(lock)).toBe(true)
    })
    expect(await whileLocked(root, () => 'ran')).toBe('ran')
  })

  it('releases the lock if the work fails', async () => {
    await expect(whileLocked(root, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(existsSync(lock)).toBe(false)
  })

  it('takes over the lock of an ended process', async () => {
    mkdirSync(join(root, '.data'))
    writeFileSync(lock, '4194305')
    expect(await whileLocked(root, () => readFileSync(lock, 'utf8'))).toBe(`${process.pid}`)
  })
})
