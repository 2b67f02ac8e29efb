import { describe, expect, it } from 'vitest'
import { filtersFrom } from './filters.ts'

describe('filtersFrom', () => {
  it.each([
    [[], [], []],
    [['app/posts'], ['app/posts'], null],
    [['e2e/posts.spec.ts'], null, ['e2e/posts.spec.ts']],
    [['app/posts/', 'e2e/posts.spec.ts'], ['app/posts/'], ['e2e/posts.spec.ts']],
    [['.\\e2e\\posts.spec.ts'], null, ['./e2e/posts.spec.ts']],
    [['e2e'], null, ['e2e']],
    [['app/e2e/some.test.ts'], ['app/e2e/some.test.ts'], null],
    [['-t', 'a name'], ['-t', 'a name'], null],
    [['e2e/', '-g', 'a name'], null, ['e2e/', '-g', 'a name']],
  ])('shares out %j', (given, vitest, playwright) => {
    expect(filtersFrom(given)).toEqual({ vitest, playwright })
  })
})
