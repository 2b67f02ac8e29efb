import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../test-support/run-cli.ts'
import { filesOf } from './code/files.ts'
import { existingIn } from './existing.ts'
import { digestOf, linesOf } from './project/text.ts'
import { askedBy } from './read/options.ts'
import { readModel } from './read/read-model.ts'

const root = join(import.meta.dirname, '../..')
const NOTHING = { references: [], tables: new Set(''), folders: new Set(''), paths: new Set('') }
/** As a shell gives it. */
const COMMAND =
  'post title:string{1..200} body:text published:boolean author:references:user --public-when published'

const { targets } = await existingIn(root)
const users = targets.filter(({ isUser }) => isUser)
const modelOf = (command: string) =>
  readModel(askedBy(command.split(' ')), { ...NOTHING, targets: users }).model
const files = await filesOf(modelOf(COMMAND), { migration: '20260101000200_create_posts' })
const read = (path: string) => {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : `${path} is not there.`
}

describe('filesOf', () => {
  it.each(files)('writes the sample: $path', ({ path, text }) => {
    expect(read(path)).toBe(text)
  })

  it.each([
    COMMAND,
    'recipe title:string body:text servings:integer vegan:boolean author:references:user',
    'product name:string{1..80} price:decimal slug:slug^ state:enum{draft,live} maker:references:user --owner none',
    'trip title starts_on:date seats:integer state:enum{open,full} owner:references:user --id uuid --version',
  ])('keeps within what can be read: %s', async (command) => {
    const some = await filesOf(modelOf(command), { migration: 'create' })
    const lines = (kind: RegExp) =>
      some.filter(({ path }) => kind.test(path)).reduce((sum, { text }) => sum + linesOf(text), 0)
    expect(some.length + 1).toBeLessThanOrEqual(16)
    expect(lines(/^(?:app|views)\/(?!.*\.test\.ts$)(?!db\/)/)).toBeLessThanOrEqual(320)
    expect(lines(/\.(?:test|spec)\.ts$/)).toBeLessThanOrEqual(240)
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
