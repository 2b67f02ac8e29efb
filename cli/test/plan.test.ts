import { describe, expect, it } from 'vitest'
import { foreignFolders, planOf } from './plan.ts'
import { SUITES, titleOf } from './suites.ts'

const FILES = [
  'app',
  'app/posts',
  'app/posts/',
  'e2e',
  'e2e/posts.spec.ts',
  'app/framework/src',
  'cli/port.test.ts',
]
const plan = (line: string, suite: keyof typeof SUITES | 'all' = 'application') => {
  const { steps, leftOut } = planOf(suite, line.split(' ').filter(Boolean), (path) => FILES.includes(path))
  return {
    steps: steps.map((step) => [titleOf(step), ...step.paths, ...step.options].join(' ')),
    leftOut: leftOut.map(titleOf),
  }
}

describe('planOf', () => {
  it('runs every step of the suite without words', () => {
    expect(plan('')).toEqual({
      steps: ['Format', 'Lint', 'Types', 'Types of e2e', 'Tests', 'Browser tests of e2e'],
      leftOut: [],
    })
    expect(plan('', 'cli').steps).toEqual(['Format of cli', 'Lint of cli', 'Types of cli', 'Tests of cli'])
    expect(plan('', 'all').steps).toHaveLength(Object.values(SUITES).flat().length)
  })

  it('narrows the steps to a path, and lists the others', () => {
    expect(plan('app/posts')).toEqual({
      steps: ['Format app/posts', 'Lint app/posts', 'Types app/posts', 'Tests app/posts'],
      leftOut: ['Types of e2e', 'Browser tests of e2e'],
    })
  })

  it.each(['e2e/posts.spec.ts', './e2e/posts.spec.ts', '.\\e2e\\posts.spec.ts'])(
    'runs the browser tests of %s',
    (path) => {
      const { steps, leftOut } = plan(path)
      const file = 'e2e/posts.spec.ts'
      expect(steps).toEqual([
        `Format ${file}`,
        `Lint ${file}`,
        `Types of e2e ${file}`,
        `Browser tests of e2e ${file}`,
      ])
      expect(leftOut).toEqual(['Types', 'Tests'])
    },
  )

  it('assigns each path to its own steps', () => {
    expect(plan('app/posts/ e2e').steps).toEqual([
      'Format app/posts/ e2e',
      'Lint app/posts/ e2e',
      'Types app/posts/',
      'Types of e2e e2e',
      'Tests app/posts/',
      'Browser tests of e2e e2e',
    ])
  })

  it.each([
    ['app/framework/src', 'app/framework'],
    ['cli/port.test.ts', 'cli'],
  ])('runs %s with the configuration of its own suite', (path, folder) => {
    expect(plan(path).steps).toEqual(
      ['Format', 'Lint', 'Types', 'Tests'].map((title) => `${title} of ${folder} ${path}`),
    )
    expect(plan(path).leftOut).toHaveLength(SUITES.application.length)
  })

  it('filters the tests by a word that is not a path', () => {
    expect(plan('paging').steps).toEqual(['Types paging', 'Types of e2e paging', 'Tests paging'])
    expect(plan('paging', 'cli').steps).toEqual(['Types of cli paging', 'Tests of cli paging'])
  })

  it('passes options to the tests, and to the browser tests only with a path', () => {
    expect(plan('-t name').steps).toEqual(['Format', 'Lint', 'Types', 'Types of e2e', 'Tests -t name'])
    expect(plan('-t name').leftOut).toEqual(['Browser tests of e2e'])
    expect(plan('e2e -g name').steps.at(-1)).toBe('Browser tests of e2e e2e -g name')
  })
})

describe('foreignFolders', () => {
  it('returns the folders that other steps check the same way', () => {
    expect(foreignFolders({ check: 'format', folder: '.' })).toEqual(['app/framework', 'cli'])
    expect(foreignFolders({ check: 'lint', folder: 'cli' })).toEqual([])
  })
})
