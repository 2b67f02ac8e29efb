import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isStarter } from './test-support/starter.ts'

const root = join(import.meta.dirname, '..')

it.runIf(isStarter)('checks every text file out with LF, also in Git for Windows', () => {
  const output = execFileSync('git', ['-c', 'core.autocrlf=true', 'ls-files', '--eol'], {
    cwd: root,
    encoding: 'utf8',
  })
  const files = output.trim().split('\n')
  expect(files.length).toBeGreaterThan(1_000)
  // The content in the index, the content on disk, the attributes, the path. Git recognizes binary files: -text.
  const isRight = (line: string) =>
    /^i\/(?:lf|none) +w\/\S+ +attr\/text=auto eol=lf/.test(line) || line.startsWith('i/-text')
  expect(files.filter((line) => !isRight(line))).toEqual([])
})
