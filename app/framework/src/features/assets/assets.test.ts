import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { assets } from 'pergola/app'

const folder = mkdtempSync(join(tmpdir(), 'assets-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

it('in development, serves a file that was added after the start', () => {
  const { url } = assets({ folder, files: {}, development: true })
  expect(() => url('late.css')).toThrow("The asset 'late.css' does not exist")
  writeFileSync(join(folder, 'late.css'), 'p { color: red }')
  expect(url('late.css')).toMatch(/^\/assets\/[0-9a-f]{16}\/late\.css$/)
  expect(() => url('../late.css')).toThrow('does not exist')
})

it('in production, serves the files of the start', () => {
  const { url } = assets({ folder, files: {}, development: false })
  writeFileSync(join(folder, 'later.css'), 'p { color: blue }')
  expect(() => url('later.css')).toThrow('does not exist')
})
