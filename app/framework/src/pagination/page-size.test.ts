import { describe, expect, it } from 'vitest'
import { pageSizes } from './page-size.ts'

describe('pageSizes', () => {
  it('completes the sizes that a list declares', () => {
    expect([{}, { max: 10 }, { max: 200 }, { default: 50 }, { default: 1, max: 1 }].map(pageSizes)).toEqual([
      { default: 20, max: 100 },
      { default: 10, max: 10 },
      { default: 20, max: 200 },
      { default: 50, max: 100 },
      { default: 1, max: 1 },
    ])
    expect(pageSizes()).toEqual({ default: 20, max: 100 })
  })

  it.each([
    { default: 150 },
    { default: 20, max: 10 },
    { default: 0 },
    { max: 0 },
    { max: 1.5 },
    { max: -1 },
    { max: Number.NaN },
    { max: Infinity },
    { max: 10_001 },
    { default: '5' as never },
  ])('throws for %j', (declared) => {
    expect(() => pageSizes(declared)).toThrow(RangeError)
  })
})
