import { describe, expect, it } from 'vitest'
import { nearest } from './nearest.ts'

describe('nearest', () => {
  it.each([
    ['migrat', 'migrate'],
    ['MIGRATE', 'migrate'],
    ['rollbakc', 'rollback'],
    ['sede', 'seed'],
    ['xyzzy', null],
    ['', null],
  ])('suggests for %j: %j', (word, expected) => {
    expect(nearest(word, ['migrate', 'rollback', 'seed', 'status'])).toBe(expected)
  })
})
