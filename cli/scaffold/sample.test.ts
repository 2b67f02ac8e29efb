import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '#app/test/run-cli.ts'
import { filesOf } from './code/files.ts'
import { existingIn } from './existing.ts'
import { digestOf } from './project/text.ts'
import { askedBy } from './read/options.ts'
import { readModel } from './read/read-model.ts'

const root = join(import.meta.dirname, '../..')
const NOTHING = { references: [], tables: new Set(''), folders: new Set(''), paths: new Set('') }
/** As a shell gives it. */
const COMMAND =
  'post title:string{1..200} body:text published:boolean author:references:user --public-when published'

const { targets } = await existingIn(root)
const users = targets.filter(({ isUser }) => isUser)
const { model } = readModel(askedBy(COMMAND.split(' ')), { ...NOTHING, targets: users })
const files = await filesOf(model, { migration: '20260101000200_create_posts' })
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

interface Rehearsal {
  files: { path: string; verb: string }[]
}

describe('cli scaffold post', () => {
  it('finds the sample just as it would write it: the list of resources, and every digest', async () => {
    const { code, stdout } = await runCli(['scaffold', ...COMMAND.split(' '), '--dry-run', '--json'])
    const { files: steps } = JSON.parse(stdout) as Rehearsal
    expect([code, steps.filter(({ verb }) => verb !== 'same')]).toEqual([0, []])
    expect(steps.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        ...files.map(({ path }) => path),
        'app/posts/scaffold.json',
        'app/resources.ts',
      ]),
    )
  })

  it('knows each file by its digest, so that it may be changed with more fields', () => {
    const { files: digests } = JSON.parse(read('app/posts/scaffold.json')) as {
      files: Record<string, string>
    }
    expect(digests).toEqual(Object.fromEntries(files.map(({ path, text }) => [path, digestOf(text)])))
  })
})
