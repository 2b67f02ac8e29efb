import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { existingIn } from '../existing.ts'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import { linesOf } from '../../project/file-text.ts'
import { askedBy } from '../read/options.ts'
import { readModel } from '../read/read-model.ts'
import { filesOf } from './files.ts'

const { targets } = await existingIn(join(import.meta.dirname, '../../..'))
const users = targets.filter(({ isUser }) => isUser)
const modelOf = (command: string) =>
  readModel(askedBy(command.split(' ')), { ...EMPTY_PROJECT, targets: users }).model

describe('filesOf', () => {
  it.each([
    'post title:string{1..200} body:text published:boolean author:references:user --public-when published',
    'recipe title:string body:text servings:integer vegan:boolean author:references:user',
    'product name:string{1..80} price:decimal slug:slug^ state:enum{draft,live} maker:references:user --owner none',
    'trip title starts_on:date seats:integer state:enum{open,full} owner:references:user --id uuid --version',
  ])('generates a limited number of files and lines: %s', async (command) => {
    const some = await filesOf(modelOf(command), { migration: 'create' })
    const lines = (kind: RegExp) =>
      some.filter(({ path }) => kind.test(path)).reduce((sum, { text }) => sum + linesOf(text), 0)
    expect(some.length + 1).toBeLessThanOrEqual(16)
    expect(lines(/^(?:app|views)\/(?!.*\.test\.ts$)(?!db\/)/)).toBeLessThanOrEqual(320)
    expect(lines(/^views\//)).toBeLessThanOrEqual(102)
    expect(lines(/\.(?:test|spec)\.ts$/)).toBeLessThanOrEqual(255)
  })

  it('generates a page of the caller’s records', async () => {
    const files = await filesOf(modelOf('trip title owner:references:user'), { migration: 'create' })
    const controller = files.find(({ path }) => path === 'app/trips/trip.controller.ts')
    expect(controller?.text).toContain('const list = await trips.pageFor(req)')
  })

  it('declares no helper without a use in the test of pages without an API', async () => {
    const files = await filesOf(modelOf('memo text:text owner:references:user --no-api --version'), {
      migration: 'create',
    })
    const text = files.find(({ path }) => path === 'app/memos/memo.test.ts')?.text ?? ''
    const test = text.replaceAll(/'[^']*'/g, '')
    const declared = [...test.matchAll(/^const (\w+) =/gm)].map(([, name]) => name)
    expect(declared).toContain('make')
    expect(declared.filter((name) => test.split(new RegExp(`\\b${name}\\b`)).length < 3)).toEqual([])
  })
})
