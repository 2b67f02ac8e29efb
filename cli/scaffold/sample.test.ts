import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesOf } from './code/files.ts'
import { postModel } from './models.ts'

const root = join(import.meta.dirname, '../..')
const files = await filesOf(postModel, { migration: '20260101000200_create_posts' })
const read = (path: string) => {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : `${path} is not there.`
}

describe('filesOf', () => {
  it.each(files)('writes the sample: $path', ({ path, text }) => {
    expect(read(path)).toBe(text)
  })

  it('keeps within what can be read: at most 320 lines of code, pages and migration, 240 of tests', () => {
    const lines = (some: typeof files) => some.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
    const tests = files.filter(({ path }) => /\.(?:test|spec)\.ts$/.test(path))
    expect(files.length + 1).toBeLessThanOrEqual(16)
    expect(lines(files.filter((file) => !tests.includes(file)))).toBeLessThanOrEqual(320)
    expect(lines(tests)).toBeLessThanOrEqual(240)
  })
})
