import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compareWith, grown, measure } from './house/house.ts'

const root = join(import.meta.dirname, '..')
const names = JSON.parse(readFileSync(join(root, 'test/public-api.json'), 'utf8')) as Record<string, string[]>

describe('the framework', () => {
  it('has at most the numbers in house.json', () => {
    const exported = Object.entries(names).map(([entry, all]) => [`names of ${entry}`, all.length])
    const now = {
      ...measure(root, ['src', 'src/features', 'src/speed', 'src/views', 'src/dev', 'testing']),
      ...(Object.fromEntries(exported) as Record<string, number>),
    }
    expect(compareWith(join(root, 'test/house/house.json'), now)).toEqual([])
  })
})

describe('grown', () => {
  it('names larger numbers, and those that are not recorded', () => {
    expect(grown({ one: 1, two: 3, three: 201 }, { one: 1, two: 2 })).toEqual([
      'two: 3 instead of 2',
      'three: 201 instead of at most the limit',
    ])
    expect(grown({ one: 0 }, { one: 1, two: 2 })).toEqual([])
  })
})
