import { describe, expect, it, vi } from 'vitest'
import { declaredAt } from './declared-at.ts'

const root = process.cwd()

describe('declaredAt', () => {
  it.each([
    ['app/post.ts', `at policy (${root}/app/post.ts:7:1)`],
    ['app/post.ts', `at ${root}/app/post.ts:7:1`],
    ['app (ü)/my post.ts', `at Object.<anonymous> (${root}/app (ü)/my post.ts:7:1)`],
    ['app (ü)/my post.ts', `at file://${root}/app%20(%C3%BC)/my%20post.ts:7:1`],
    ['app/post.ts', `at node:internal/modules/run:1:2\n    at ${root}/app/post.ts:7:1`],
  ])('returns the line in %s of a trace like %s', (file, frames) => {
    vi.spyOn(Error, 'captureStackTrace').mockImplementation((trace) =>
      Object.assign(trace, { stack: `Error\n    ${frames}\n    at ${root}/other.ts:9:9` }),
    )
    expect(declaredAt(() => null)).toBe(`${file}:7`)
  })
})
